// How smooth the page is: how long a new forecast takes from the slider to the charts, and the longest tasks of the
// page's thread while a slider moves and a large file is read. Reports figures; other work on the machine spoils them.
//
//   cargo xtask build && node tests/e2e/smooth.mjs

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openSite } from './lib.mjs'
import { file, forecasted, openEmpty, openExample, place } from './page.mjs'
import { SCAN, SORT, soloTrace } from './traces.mjs'

const BUDGET_MS = 50
const STEPS = 20
const LARGE_BYTES = 20e6

const folder = await mkdtemp(join(tmpdir(), 'cotrace-smooth-'))
const site = await openSite()

const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * share), values.length - 1)]
const told = (name, values) =>
  console.log(`${name}: median ${quantile(values, 0.5).toFixed(0)} ms, 90 % ${quantile(values, 0.9).toFixed(0)} ms, longest ${Math.max(...values).toFixed(0)} ms; budget ${BUDGET_MS} ms`)

/** Moves the slider of B by steps, each once the charts show the one before. Gives milliseconds from slider to charts. */
const slide = (page, steps) =>
  page.evaluate(async (steps) => {
    const slider = document.querySelector('[data-start="B"] input[type="range"]')
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
    const charts = document.querySelector('.result .charts')
    const times = []
    for (let step = 1; step <= steps; step += 1) {
      const drawn = new Promise((resolve) => {
        const observer = new MutationObserver((changes) => {
          if (!changes.some(({ target }) => target.closest?.('.readout'))) return
          observer.disconnect()
          resolve(performance.now())
        })
        observer.observe(charts, { childList: true, subtree: true })
      })
      const start = performance.now()
      set.call(slider, String((step * Number(slider.max)) / (steps + 1)))
      slider.dispatchEvent(new InputEvent('input', { bubbles: true }))
      times.push((await drawn) - start)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    return times
  }, steps)

/** Tasks of the page's thread of more than 50 ms while `work` goes on: how long each was. */
async function longTasks(page, work) {
  await page.evaluate(() => {
    window.longTasks = []
    window.taskObserver = new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    window.taskObserver.observe({ type: 'longtask' })
  })
  await work()
  await page.waitForTimeout(500)
  return page.evaluate(() => {
    window.taskObserver.disconnect()
    return window.longTasks
  })
}

const tasks = (name, all) =>
  console.log(`${name}: ${all.length === 0 ? 'none' : all.map((ms) => ms.toFixed(0)).join(' ')} (ms, tasks over ${BUDGET_MS} ms)`)

try {
  const rows = Math.ceil(LARGE_BYTES / 66)
  const large = join(folder, 'large.csv')
  const text = soloTrace('large', rows, { cpu: 1, memory: 2 ** 30, disk: 1e7 })
  await writeFile(large, text)
  console.log(`large.csv: ${(text.length / 1e6).toFixed(1)} MB, ${rows} rows`)
  for (const [name, visitor] of [['desktop', {}], ['phone', { width: 390, height: 844 }]]) {
    const page = await openExample(site, visitor)
    tasks(`${name}, first forecasts`, await longTasks(page, () => slide(page, 5)))
    told(`${name}, slider to charts`, await slide(page, STEPS))
    await page.close()

    const busy = await openEmpty(site, visitor)
    await place(busy, 'A').locator('input[type="file"]').setInputFiles(file('sort.csv', SORT))
    await place(busy, 'B').locator('input[type="file"]').setInputFiles(file('scan.csv', SCAN))
    await forecasted(busy)
    const together = await longTasks(busy, async () => {
      await place(busy, 'A').locator('input[type="file"]').setInputFiles(large)
      await busy.evaluate(async (steps) => {
        const slider = document.querySelector('[data-start="B"] input[type="range"]')
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
        for (let step = 1; step <= steps; step += 1) {
          set.call(slider, String((step * Number(slider.max)) / (steps + 1)))
          slider.dispatchEvent(new InputEvent('input', { bubbles: true }))
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }, STEPS)
      await busy.waitForFunction(() => document.querySelector('[data-place="A"] .job-name').textContent === 'large', undefined, { timeout: 60_000 })
      await busy.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), undefined, { timeout: 60_000 })
    })
    tasks(`${name}, ${STEPS} forecasts while 20 MB are read`, together)
    await busy.close()
  }
} finally {
  await site.close()
  await rm(folder, { recursive: true, force: true })
}
