// Photographs every view of the page, wide and narrow, light and dark: node tests/e2e/screenshots.mjs [folder]
// (`cargo xtask screenshots` builds first and says where the pictures are).

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { openSite, root } from './lib.mjs'
import { BROKEN, DOCKER, LATE, POEM, SCAN, SORT, TABLE, VMSTAT } from './traces.mjs'

// A second argument names the only view.
const only = process.argv[3]
const folder = process.argv[2] ?? join(root, 'target/screenshots')
const SIZES = [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
]

/** What a picture shows: how to get there from a fresh page. */
const VIEWS = {
  // What a visitor sees first: an example.
  start: async (page) => {
    await page.locator('[data-figure="makespan"] .measured').waitFor({ timeout: 60_000 })
  },
  empty: async (page) => {
    await empty(page)
  },
  'one-job': async (page) => {
    await empty(page)
    await upload(page, 'A', 'sort.csv', SORT)
    await page.locator('[data-place="A"]').getByText('alone on').waitFor()
  },
  forecast: async (page) => {
    await empty(page)
    const samples = page.getByRole('button', { name: /^Try / })
    // Samples if there are any: a measured co-run lies over their forecast.
    if ((await samples.count()) > 0) {
      await samples.click()
    } else {
      await upload(page, 'A', 'sort.csv', SORT)
      await upload(page, 'B', 'scan.csv', SCAN)
    }
    await page.locator('[data-figure="makespan"]').waitFor({ timeout: 60_000 })
  },
  // Four jobs, one left out, one larger, the best start looked for.
  play: async (page) => {
    await VIEWS.start(page)
    await page.getByRole('button', { name: 'Duplicate job A' }).click()
    await page.getByRole('button', { name: 'Duplicate job B' }).click()
    await page.getByRole('button', { name: 'Leave job B out' }).click()
    await page.getByLabel('Size of job C').fill('1.5')
    await page.locator('[data-start="D"]').getByRole('button', { name: 'Best start' }).click()
    await page.locator('[data-start="D"] .course').waitFor({ timeout: 60_000 })
  },
  gallery: async (page) => {
    await VIEWS.start(page)
    await page.getByRole('button', { name: 'Gallery of measured jobs' }).click()
    await page.waitForFunction(() => document.querySelectorAll('.gallery .sparkline path[d^="M"]').length >= 13)
  },
  share: async (page) => {
    await VIEWS.start(page)
    await page.locator('.menu summary').click()
  },
  help: async (page) => {
    await VIEWS.start(page)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  },
  zoomed: async (page) => {
    await VIEWS.start(page)
    const chart = page.locator('[data-chart="cpu_cores"]')
    await chart.locator('.chart-host').focus()
    for (const key of ['ArrowRight', '+', '+', '+']) await page.keyboard.press(key)
    await chart.locator('.values summary').click()
  },
  'other-model': async (page) => {
    await VIEWS.forecast(page)
    await page.getByLabel('Model', { exact: true }).selectOption('resourcenet')
    await page.locator('[data-model="resourcenet"]').waitFor({ timeout: 60_000 })
  },
  'no-model': async (page) => {
    await page.context().route(/models\/resourcenet\.cotrace$/, (route) => route.fulfill({ body: '<!doctype html>' }))
    await VIEWS.forecast(page)
    await page.getByLabel('Model', { exact: true }).selectOption('resourcenet')
    await page.locator('.model').getByRole('alert').waitFor()
  },
  'bad-file': async (page) => {
    await VIEWS.forecast(page)
    await upload(page, 'B', 'broken.csv', BROKEN)
    await page.locator('[data-place="B"]').getByRole('alert').waitFor()
  },
  'no-trace': async (page) => {
    await empty(page)
    await upload(page, 'A', 'vmstat.txt', VMSTAT)
    await page.getByLabel('Between samples').waitFor()
    await upload(page, 'B', 'poem.txt', POEM)
    await page.locator('.tried summary').click()
  },
  cut: async (page) => {
    await empty(page)
    await upload(page, 'A', 'late.csv', LATE)
    const card = page.locator('[data-place="A"]')
    await card.locator('[data-health] summary').first().click()
    await card.getByRole('button', { name: /^Show / }).first().click()
    await card.locator('canvas').first().waitFor()
    await page.getByLabel('From, stretch of job A').fill('0:30')
    await page.getByLabel('to, stretch of job A').fill('1:00')
    await upload(page, 'B', 'late.csv', LATE)
    await page.locator('[data-place="B"] [data-health] summary').first().click()
    await page.locator('[data-place="B"] .trim button').click()
    await page.locator('[data-place="B"] [data-plot] summary').click()
    await page.locator('[data-place="B"] canvas').first().waitFor()
  },
  several: async (page) => {
    await empty(page)
    await upload(page, 'A', 'stats.log', DOCKER)
    await page.locator('[data-place="A"] .choices').waitFor()
  },
  columns: async (page) => {
    await empty(page)
    await upload(page, 'A', 'table.csv', TABLE)
    await page.locator('[data-columns] summary').click()
  },
  details: async (page) => {
    await VIEWS.forecast(page)
    for (const summary of await page.locator('.about summary, .quiet-charts summary').all()) await summary.click()
    const chart = page.locator('[data-chart="cpu_cores"] .u-over')
    const { width, height } = await chart.boundingBox()
    await chart.hover({ position: { x: width / 3, y: height / 2 } })
  },
}

/** A page with nothing on it. */
async function empty(page) {
  await page.getByRole('button', { name: 'Use your own traces' }).click()
  await page.getByText('How much do two jobs slow each other').waitFor()
}

const upload = (page, place, name, text) =>
  page
    .locator(`[data-place="${place}"] input[type="file"]`)
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

/** Waits for what the page does at first: fetching, forecasting, drawing. */
async function settle(page) {
  await page.waitForLoadState('networkidle')
  await page
    .waitForFunction(() => !document.querySelector('[aria-busy="true"]'), undefined, { timeout: 20_000 })
    .catch(() => console.error('still busy after 20 s'))
  await page.waitForTimeout(300)
}

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const site = await openSite()
let trouble = 0
try {
  for (const [name, reach] of Object.entries(VIEWS).filter(([name]) => only === undefined || name === only)) {
    for (const [size, viewport] of SIZES) {
      for (const colorScheme of ['light', 'dark']) {
        const page = await site.newPage({ ...viewport, colorScheme })
        await page.goto(site.url)
        await settle(page)
        await reach(page)
        await settle(page)
        const file = join(folder, `${name}-${size}-${colorScheme}.png`)
        await page.screenshot({ path: file, fullPage: true })
        console.log(file)
        for (const line of page.trouble) console.error(`  ${line}`)
        trouble += page.trouble.length
        await page.close()
      }
    }
  }
} finally {
  await site.close()
}
process.exitCode = trouble === 0 ? 0 : 1
