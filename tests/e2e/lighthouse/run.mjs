// Measures the built page with Lighthouse, as a phone and as a desktop, and fails below what is promised:
//
//   cargo xtask build && (cd tests/e2e/lighthouse && npm ci && node run.mjs)
//
// Performance differs from run to run: what counts is the median of `RUNS` (default 5). What is served is
// packed with gzip, as hosts of static pages do.

import { launch } from 'chrome-launcher'
import lighthouse, { desktopConfig } from 'lighthouse'

import { findChromium, serve } from '../lib.mjs'

const PROMISED = { performance: 95, accessibility: 100, 'best-practices': 100 }
const RUNS = Number(process.env.RUNS ?? 5)

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const site = await serve({ options: ['--gzip'] })
const chrome = await launch({
  chromePath: findChromium(),
  chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
})
let missed = 0
try {
  for (const [name, config] of [['phone', undefined], ['desktop', desktopConfig]]) {
    const scores = Object.fromEntries(Object.keys(PROMISED).map((category) => [category, []]))
    const figures = {}
    const faults = new Set()
    for (let run = 0; run < RUNS; run += 1) {
      const flags = { port: chrome.port, logLevel: 'error', onlyCategories: Object.keys(PROMISED) }
      const { lhr } = await lighthouse(site.url, flags, config)
      for (const [category, all] of Object.entries(scores)) {
        all.push(Math.round(100 * lhr.categories[category].score))
        for (const { id, weight } of lhr.categories[category].auditRefs) {
          const { score, scoreDisplayMode } = lhr.audits[id]
          if (category !== 'performance' && weight > 0 && scoreDisplayMode === 'binary' && score < 1) faults.add(id)
        }
      }
      for (const id of ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift']) {
        figures[id] = [...(figures[id] ?? []), lhr.audits[id].numericValue]
      }
    }
    for (const [category, all] of Object.entries(scores)) {
      const got = median(all)
      const ok = got >= PROMISED[category]
      if (!ok) missed += 1
      console.log(`${name}  ${category}  ${got} of ${PROMISED[category]} (${all.join(' ')})${ok ? '' : '  MISSED'}`)
    }
    for (const [id, all] of Object.entries(figures)) console.log(`${name}  ${id}  ${median(all).toFixed(id.endsWith('shift') ? 3 : 0)}`)
    if (faults.size > 0) console.log(`${name}  failed: ${[...faults].join(', ')}`)
  }
} finally {
  chrome.kill()
  await site.close()
}
process.exitCode = missed === 0 ? 0 : 1
