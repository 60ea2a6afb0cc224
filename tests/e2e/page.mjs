// What tests do on the page and read from it.

import assert from 'node:assert/strict'

import { cotrace, run } from './lib.mjs'

/** Who all that can be done on the page is tried as: a wide window with a mouse, a phone with fingers. */
export const VISITORS = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
]
export const named = ({ width, colorScheme }) => `${width} px wide, ${colorScheme}`

export const place = (page, letter) => page.locator(`[data-place="${letter}"]`)
export const upload = (page, letter, file) => place(page, letter).locator('input[type="file"]').setInputFiles(file)

/** A visitor's page with the example that it begins with. */
export async function openExample(site, options) {
  const page = await site.newPage(options)
  await page.goto(site.url)
  await page.locator('.example').waitFor({ timeout: 60_000 })
  await forecasted(page)
  return page
}

/** A visitor's page with nothing on it. */
export async function openEmpty(site, options) {
  const page = await site.newPage(options)
  await page.goto(`${site.url}#new`)
  await page.locator('[data-place="A"]').waitFor()
  return page
}

/** What a file chooser hands over. */
export const file = (name, text) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

/** Lets files fall onto what `selector` finds. */
export const drop = (page, selector, ...files) =>
  page.evaluate(
    ({ selector, files }) => {
      const dataTransfer = new DataTransfer()
      for (const { name, text } of files) dataTransfer.items.add(new File([text], name))
      const target = document.querySelector(selector)
      target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    },
    { selector, files },
  )

/** The text of a figure; waits until it is another than `before` if that is given. */
export async function figure(page, key, before) {
  const value = page.locator(`[data-figure="${key}"] .value`)
  await value.waitFor({ timeout: 60_000 })
  if (before !== undefined) {
    await page.waitForFunction(
      ([key, before]) => {
        const now = document.querySelector(`[data-figure="${key}"] .value`)?.textContent
        return now !== undefined && now !== before && !document.querySelector('[aria-busy="true"]')
      },
      [key, before],
      { timeout: 30_000 },
    )
  }
  return value.textContent()
}

/** Waits until a job's card says that name. */
export const holds = (page, letter, name) =>
  page.waitForFunction(
    ([letter, name]) => document.querySelector(`[data-place="${letter}"] .job-name`)?.textContent === name,
    [letter, name],
    { timeout: 30_000 },
  )

/** Waits for a forecast that answers what the page says now. */
export async function forecasted(page) {
  await page.locator('[data-figure="makespan"]').waitFor({ timeout: 60_000 })
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), undefined, { timeout: 60_000 })
}

export async function figures(page) {
  const texts = await page.$$eval('[data-figure]', (tiles) =>
    tiles.map((tile) => [tile.dataset.figure, tile.querySelector('.value').textContent]),
  )
  return Object.fromEntries(texts)
}

/** `4 min 10 s` in seconds, and how far rounding may be off. */
export function seconds(text) {
  const units = { ms: 0.001, s: 1, min: 60, h: 3600 }
  const parts = [...text.matchAll(/([\d.]+)\s(ms|s|min|h)/g)]
  assert.ok(parts.length > 0, `"${text}" is no duration`)
  const value = parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit], 0)
  const [, number, unit] = parts.at(-1)
  const decimals = number.split('.')[1]?.length ?? 0
  // Above an hour only whole minutes are told, and those begun do not count.
  return { value, tolerance: unit === 'min' ? 60 : 0.51 * units[unit] * 10 ** -decimals }
}

/** Fails unless the page shows what the command forecasts from the same files, with the same options. */
export async function assertLikeCommand(page, a, b, ...options) {
  const { code, stdout, stderr } = await run(cotrace, ['forecast', a, b, '--json', ...options])
  assert.equal(code, 0, stderr)
  const forecast = JSON.parse(stdout)
  const shown = await figures(page)
  const near = (name, got, wanted, tolerance) =>
    assert.ok(Math.abs(got - wanted) <= tolerance, `${name}: the page says ${got}, the command ${wanted}`)
  near('A', Number.parseFloat(shown['slowdown-a']), forecast.jobs[0].slowdown, 0.0051)
  near('B', Number.parseFloat(shown['slowdown-b']), forecast.jobs[1].slowdown, 0.0051)
  const { value, tolerance } = seconds(shown.makespan)
  near('makespan', value, forecast.makespan_seconds, tolerance)
  const peak = (metric) => (100 * Math.max(...forecast.metrics[metric].total)) / forecast.metrics[metric].capacity
  near('peak CPU', Number.parseFloat(shown['peak-cpu']), peak('cpu_cores'), 0.51)
  near('peak memory', Number.parseFloat(shown['peak-memory']), peak('memory_bytes'), 0.51)
}
