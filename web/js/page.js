// All JavaScript that the page calls: one file for web/src.

export { createChart, destroyChart, showAll, updateChart } from './charts.js'
export { keepOffline } from './offline.js'
export { beginning, copy, forget, keep, kept, pack, save, savePng, textOf, unpack } from './share.js'
export { createSolo, destroySolo, updateSolo } from './solo.js'
