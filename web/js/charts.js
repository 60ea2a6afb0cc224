// Draws the charts of the page with uPlot. The page says what to draw (web/src/charts/layers.rs); colours come from
// the style sheet, so that light and dark need no word here.

import uPlot from 'uplot'

import { BINARY_STEPS, TIME_STEPS, axis, clock, colour, digits, largest, onTheme, short } from './common.js'
import { followKey, followPointers, isZoomed, showAll, shown, watchView } from './view.js'

const SYNC = 'cotrace-time'

/** Every chart on the page. */
const charts = new Set()

/** Charts that are still to be drawn: one at a time, so that nothing a person does waits for all of them. */
const waiting = []

/** Draws `chart` into `host`, soon. Returns a handle for `updateChart` and `destroyChart`. */
export function createChart(host, chart) {
  const handle = { host, chart, plot: null, readout: document.createElement('p') }
  handle.readout.className = 'readout'
  handle.readout.setAttribute('aria-hidden', 'true')
  host.append(handle.readout)
  if (waiting.push(handle) === 1) drawLater()
  return handle
}

function drawLater() {
  setTimeout(() => {
    const handle = waiting.shift()
    if (waiting.length > 0) drawLater()
    if (handle !== undefined) begin(handle)
  })
}

function begin(handle) {
  handle.resize = new ResizeObserver(() => fit(handle))
  handle.forget = watchView(() => showPart(handle))
  handle.onKey = (event) => followKey(event, handle.chart, pointed(handle), (index) => read(handle, index))
  handle.host.addEventListener('keydown', handle.onKey)
  build(handle)
  handle.resize.observe(handle.host)
  charts.add(handle)
}

/** Draws another `chart` in the same place. */
export function updateChart(handle, chart) {
  const before = handle.chart
  handle.chart = chart
  // It is drawn as it is when its turn comes.
  if (handle.plot === null) return
  if (shape(before) === shape(chart)) {
    handle.plot.batch(() => {
      handle.plot.setData(columns(chart), false)
      const [min, max] = shown(chart.end_seconds)
      handle.plot.setScale('x', { min, max })
      handle.plot.setScale('y', { min: 0, max: chart.top })
    })
    write(handle)
  } else {
    handle.plot.destroy()
    build(handle)
  }
}

/** Takes the drawing away. */
export function destroyChart(handle) {
  handle.readout.remove()
  if (handle.plot === null) {
    waiting.splice(waiting.indexOf(handle), 1)
    return
  }
  charts.delete(handle)
  handle.forget()
  handle.host.removeEventListener('keydown', handle.onKey)
  handle.resize.disconnect()
  handle.plot.destroy()
}

/** What can't change without drawing anew: which series there are. */
function shape(chart) {
  const jobs = chart.layers.map((layer) => layer.job)
  return JSON.stringify([chart.unit, chart.binary, jobs, chart.lower.length > 0, chart.truth.length > 0])
}

function columns(chart) {
  const bands = chart.lower.length > 0 ? [chart.lower, chart.upper] : []
  const truth = chart.truth.length > 0 ? [chart.truth] : []
  return [chart.time, ...chart.layers.map((layer) => layer.top), ...bands, chart.naive, chart.total, ...truth]
}

function series(chart) {
  const line = (stroke, options = {}) => ({
    stroke: () => colour(stroke),
    width: 1,
    points: { show: false },
    ...options,
  })
  const layers = chart.layers.map(({ job }) => {
    const name = job === null ? 'before' : `job-${job}`
    return line(`--${name}`, { fill: () => colour(`--${name}-fill`) })
  })
  const edge = line('--band-edge', { width: 0.75 })
  return [
    {},
    ...layers,
    ...(chart.lower.length > 0 ? [edge, { ...edge, fill: () => colour('--band') }] : []),
    line('--naive', { dash: [2, 3], width: 1.25 }),
    line('--total', { width: 1.5 }),
    ...(chart.truth.length > 0 ? [line('--truth', { dash: [6, 4], width: 2 })] : []),
  ]
}

/** Pairs of series with colour between them: each layer reaches down to the one below. */
function bands(chart) {
  const stacked = chart.layers.slice(1).map((_, index) => ({ series: [index + 2, index + 1] }))
  const first = chart.layers.length + 1
  return chart.lower.length > 0 ? [...stacked, { series: [first + 1, first] }] : stacked
}

function build(handle) {
  const { chart, host } = handle
  const options = {
    ...size(host),
    legend: { show: false },
    padding: [8, 6, 0, 0],
    scales: {
      x: { time: false, range: () => shown(handle.chart.end_seconds) },
      y: { range: () => [0, handle.chart.top] },
    },
    axes: [
      { ...axis(), size: 24, space: 56, incrs: TIME_STEPS, values: (_, splits) => splits.map(clock) },
      {
        ...axis(),
        size: 46,
        gap: 4,
        space: 26,
        values: (_, splits) => splits.map(short),
        ...(chart.binary ? { incrs: BINARY_STEPS } : {}),
      },
    ],
    series: series(chart),
    bands: bands(chart),
    cursor: {
      sync: { key: SYNC, scales: ['x', null], setSeries: false },
      drag: { x: false, y: false },
      points: { show: false },
      y: false,
    },
    hooks: {
      drawAxes: [(plot) => drawShort(plot, handle.chart.short)],
      draw: [(plot) => drawCapacity(plot, handle.chart.capacity), (plot) => drawEnds(plot, handle.chart.ends)],
      setCursor: [() => write(handle)],
    },
  }
  handle.plot = new uPlot(options, columns(chart), host)
  followPointers(handle)
  tellPart()
  write(handle)
}

/** Another part of the time is to be seen. */
function showPart(handle) {
  const [min, max] = shown(handle.chart.end_seconds)
  handle.plot.setScale('x', { min, max })
  tellPart()
}

/** Says that a part is on show, if it isn't all. */
function tellPart() {
  const notice = document.querySelector('.zoomed')
  if (notice !== null) notice.hidden = !isZoomed()
}

/** The value under the cursor, if there is one. */
function pointed({ plot }) {
  return plot.cursor.left >= 0 ? (plot.cursor.idx ?? null) : null
}

/** Puts the cursor of all charts on a value, and says it to who listens rather than looks. */
function read(handle, index) {
  const at = index === null ? null : handle.chart.time[index]
  const [from, to] = shown(handle.chart.end_seconds)
  // What is read is on show.
  if (at !== null && (at < from || at > to)) showAll()
  for (const { plot } of charts) {
    plot.setCursor({ left: at === null ? -10 : plot.valToPos(at, 'x'), top: 0 })
  }
  const live = document.querySelector('#chart-live')
  if (live !== null) live.textContent = index === null ? '' : `${handle.chart.title}: ${told(handle.chart, index)}`
}

/** Shades when the resource is short. */
function drawShort(plot, short) {
  if (short.length === 0) return
  const { ctx } = plot
  const { left, top, width, height } = plot.bbox
  const x = (seconds) => Math.min(Math.max(plot.valToPos(seconds, 'x', true), left), left + width)
  ctx.save()
  ctx.fillStyle = colour('--short')
  for (const [from, to] of short) ctx.fillRect(x(from), top, x(to) - x(from), height)
  ctx.restore()
}

/** Marks when each job is done: a line in its colour, and its letter. */
function drawEnds(plot, ends) {
  const { ctx } = plot
  const { left, top, width, height } = plot.bbox
  ctx.save()
  ctx.lineWidth = Math.max(1, devicePixelRatio)
  ctx.font = `600 ${11 * devicePixelRatio}px system-ui, sans-serif`
  ctx.textAlign = 'right'
  ctx.textBaseline = 'top'
  for (const { job, label, at } of ends) {
    const x = Math.round(plot.valToPos(at, 'x', true)) - 0.5
    if (x < left || x > left + width + 1) continue
    ctx.strokeStyle = colour(`--job-${job}`)
    ctx.fillStyle = ctx.strokeStyle
    ctx.setLineDash([3 * devicePixelRatio, 2 * devicePixelRatio])
    ctx.beginPath()
    ctx.moveTo(x, top)
    ctx.lineTo(x, top + height)
    ctx.stroke()
    ctx.fillText(label, x - 3 * devicePixelRatio, top + 2 * devicePixelRatio)
  }
  ctx.restore()
}

/** The line that nothing can pass. */
function drawCapacity(plot, capacity) {
  if (capacity === null) return
  const { ctx } = plot
  const { left, width } = plot.bbox
  const y = Math.round(plot.valToPos(capacity, 'y', true)) + 0.5
  ctx.save()
  ctx.strokeStyle = colour('--capacity')
  ctx.lineWidth = Math.max(1, devicePixelRatio)
  ctx.beginPath()
  ctx.moveTo(left, y)
  ctx.lineTo(left + width, y)
  ctx.stroke()
  ctx.restore()
}

/** Says in words what is under the cursor; without one, what the chart shows at most. */
function write(handle) {
  const { chart, plot, readout } = handle
  const index = plot?.cursor?.idx
  const inside = index !== null && index !== undefined && plot.cursor.left >= 0
  moveStripCursor(inside ? plot.posToVal(plot.cursor.left, 'x') / chart.end_seconds : null)
  if (!inside) {
    const peak = largest(chart.total)
    readout.textContent = peak === null ? '' : `at most ${digits(peak, chart.top)}`
    return
  }
  readout.textContent = told(chart, index)
}

/** A moment of a chart in words. */
function told(chart, index) {
  const at = (values) => digits(values[index], chart.top)
  const parts = chart.layers.map((layer) => `${layer.label} ${at(layer.own)}`)
  let text = `${clock(chart.time[index])}  ${at(chart.total)}`
  if (parts.length > 0) text += ` (${parts.join(', ')})`
  text += `, added up ${at(chart.naive)}`
  if (chart.truth.length > 0) text += `, measured ${at(chart.truth)}`
  return text
}

/** The same moment on the strip above the charts. */
function moveStripCursor(share) {
  const line = document.querySelector('.strip-cursor')
  if (line === null) return
  line.style.setProperty('--at', String(share ?? 0))
  line.classList.toggle('on', share !== null)
}

function size(host) {
  const height = Number.parseFloat(getComputedStyle(host).getPropertyValue('--chart-height')) || 160
  return { width: Math.max(host.clientWidth, 120), height }
}

function fit(handle) {
  const wanted = size(handle.host)
  if (wanted.width !== handle.plot.width || wanted.height !== handle.plot.height) handle.plot.setSize(wanted)
}

/** Shows the whole time again. */
export { showAll } from './view.js'

onTheme(() => {
  for (const { plot } of charts) plot.redraw(false)
})
