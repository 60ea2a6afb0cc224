// What is on the page, passed on and kept: links, files, pictures, the browser's own storage.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'

import { assertFits, checkAccessibility, openSite } from './lib.mjs'
import { VISITORS, drop, figures, file, forecasted, holds, named, openEmpty, openExample, place } from './page.mjs'
import { SCAN, SORT, noisyTrace } from './traces.mjs'

let site

before(async () => {
  site = await openSite()
})

after(async () => {
  await site?.close()
})

const pick = (page, letter, name, text) => place(page, letter).locator('input[type="file"]').setInputFiles(file(name, text))
const told = (page) => page.locator('.share-told')

/** Three jobs with everything set that can be. */
async function openScene(visitor) {
  const page = await openEmpty(site, visitor)
  await pick(page, 'A', 'sort.csv', SORT)
  await pick(page, 'B', 'scan.csv', SCAN)
  await page.getByRole('button', { name: 'Duplicate job B' }).click()
  await page.getByLabel('B starts after').waitFor()
  await page.getByLabel('B starts after').fill('7.5')
  await page.getByLabel('Size of job A').fill('1.5')
  await page.getByRole('button', { name: 'Leave job C out' }).click()
  if (!(await page.getByLabel('Machine').isVisible())) await page.locator('.node summary').click()
  await page.getByLabel('Cores', { exact: true }).fill('3')
  await page.waitForFunction(() => document.querySelector('[data-figure="peak-cpu"] .detail').textContent.includes('3'))
  await forecasted(page)
  return page
}

/** Everything that `openScene` set, and what came of it. */
async function sceneOf(page) {
  await forecasted(page)
  return {
    names: await page.locator('[data-place] .job-name').allTextContents(),
    start: await page.getByLabel('B starts after').inputValue(),
    size: await page.getByLabel('Size of job A').inputValue(),
    muted: await page.getByRole('button', { name: 'Leave job C out' }).getAttribute('aria-pressed'),
    cores: await page.getByLabel('Cores', { exact: true }).inputValue(),
    figures: await figures(page),
  }
}

async function copyLink(page) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'copy link' }).click()
  await told(page).getByText('Link copied.').waitFor()
  return page.evaluate(() => navigator.clipboard.readText())
}

/** Waits until what the browser keeps of the page is as `wanted`. */
async function kept(page, wanted) {
  for (let tries = 0; tries < 50; tries += 1) {
    const text = await page.evaluate(async () => {
      const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)))
      // Opening what isn't there would make it.
      if (!(await indexedDB.databases()).some(({ name }) => name === 'cotrace')) return ''
      const database = await done(indexedDB.open('cotrace'))
      const text = await done(database.transaction('kept').objectStore('kept').get('kept'))
      database.close()
      return text ?? ''
    })
    if (wanted(text)) return
    await page.waitForTimeout(100)
  }
  assert.fail('the page is not kept in the browser')
}

async function download(page, button) {
  if ((await page.locator('.menu').getAttribute('open')) === null) await page.locator('.menu summary').click()
  const [got] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
  return { name: got.suggestedFilename(), bytes: await readFile(await got.path()) }
}

for (const visitor of VISITORS) {
  const at = named(visitor)

  test(`a link holds traces and all that was set, and says so, ${at}`, async () => {
    const page = await openScene(visitor)
    const scene = await sceneOf(page)
    const link = await copyLink(page)
    assert.match(await told(page).textContent(), /contains your traces.*whoever has the link can read them/)
    assert.ok(link.startsWith(`${site.url}#s=`), link.slice(0, 80))
    assert.ok(link.length < 30_200, `${link.length} letters`)
    assert.ok(!page.url().includes('#s='), 'one’s own traces are not in the address unasked')
    await assertFits(page)
    await checkAccessibility(page)

    const other = await site.newPage(visitor)
    await other.goto(link)
    await holds(other, 'A', 'sort')
    assert.deepEqual(await sceneOf(other), scene)
    site.assertNoTrouble(other)
    site.assertNoTrouble(page)
  })

  test(`the example and what samples are set to stand in the address, ${at}`, async () => {
    const page = await openExample(site, visitor)
    await page.getByLabel('B starts after').fill('9')
    await page.waitForFunction(() => location.hash.startsWith('#s='))
    await forecasted(page)
    await page.waitForTimeout(700)
    const shown = await figures(page)
    const link = await copyLink(page)
    assert.equal(await told(page).textContent(), 'Link copied.')
    assert.ok(link.length < site.url.length + 300, `${link.length} letters for two names and a number`)
    assert.equal(page.url(), link)

    const other = await site.newPage(visitor)
    await other.goto(link)
    await forecasted(other)
    await other.locator('[data-figure="slowdown-b"]').waitFor()
    assert.deepEqual(await figures(other), shown)
    assert.equal(await other.getByLabel('B starts after').inputValue(), '9')
    site.assertNoTrouble(other)
  })

  test(`all of it in one file, opened by choosing and by dropping, ${at}`, async () => {
    const page = await openScene(visitor)
    const scene = await sceneOf(page)
    const { name, bytes } = await download(page, 'save all as one file')
    assert.equal(name, 'cotrace-scene.json')
    assert.equal(JSON.parse(bytes).cotrace_scene, 1)
    await told(page).getByText('Saved, traces and all.').waitFor()

    const chosen = await openExample(site, visitor)
    await chosen.locator('.menu summary').click()
    await chosen.locator('#open-file').setInputFiles(file(name, bytes.toString()))
    await holds(chosen, 'A', 'sort')
    assert.deepEqual(await sceneOf(chosen), scene)
    // A file opened by mistake is undone like anything else.
    await chosen.getByRole('button', { name: 'undo' }).click()
    await chosen.waitForFunction(() => document.querySelector('[data-place="A"] .job-name').textContent !== 'sort')

    const dropped = await openEmpty(site, visitor)
    await drop(dropped, 'footer', { name, text: bytes.toString() })
    await holds(dropped, 'A', 'sort')
    assert.deepEqual(await sceneOf(dropped), scene)
    for (const page of [chosen, dropped]) site.assertNoTrouble(page)
  })

  test(`the work is there again after a reload, until it is forgotten, ${at}`, async () => {
    const page = await openScene(visitor)
    const scene = await sceneOf(page)
    await page.getByText('What is on the page is kept in this browser').waitFor()
    await kept(page, (text) => text.includes('"cores":3') && text.includes('"muted":true'))
    await page.goto(site.url)
    await holds(page, 'A', 'sort')
    assert.deepEqual(await sceneOf(page), scene)
    await page.getByRole('button', { name: 'Clear the page and forget it' }).click()
    await page.getByText('How much do two jobs slow each other').waitFor()
    await page.goto(site.url)
    await page.locator('.example').waitFor()
    site.assertNoTrouble(page)
  })
}

test('the forecast as a table, as JSON and as pictures', async () => {
  const page = await openExample(site)
  const json = await download(page, 'export JSON')
  const forecast = JSON.parse(json.bytes)
  assert.equal(json.name, 'cotrace-forecast.json')
  const shown = await figures(page)
  assert.equal(`${forecast.jobs[0].slowdown.toFixed(2)}×`, shown['slowdown-a'])

  const csv = await download(page, 'export CSV')
  const rows = csv.bytes.toString().trim().split('\n')
  const head = rows.find((row) => !row.startsWith('#')).split(',')
  const table = rows.filter((row) => !row.startsWith('#')).slice(1).map((row) => row.split(','))
  assert.ok(table.every((row) => row.length === head.length), 'every row has all columns')
  for (const [metric, { total }] of Object.entries(forecast.metrics)) {
    const written = table.filter((row) => row[head.indexOf('metric')] === metric)
    assert.equal(written.length, total.length, metric)
    const off = written.map((row, step) => Math.abs(Number(row[head.indexOf('total')]) - total[step]))
    assert.ok(Math.max(...off) <= 1e-4 * Math.max(...total), `${metric}: the table holds the forecast`)
  }

  const svg = await download(page, 'export SVG')
  const drawing = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
    return {
      errors: parsed.querySelectorAll('parsererror').length,
      texts: [...parsed.querySelectorAll('text')].map((text) => text.textContent),
      outside: /(href|src)="http/.test(text),
    }
  }, svg.bytes.toString())
  assert.equal(drawing.errors, 0)
  assert.ok(!drawing.outside)
  const names = await page.locator('[data-place] .job-name').allTextContents()
  const said = drawing.texts.join(' ')
  for (const part of [...names, 'Together they finish', 'measured', 'cotrace', 'CPU', 'Memory']) {
    assert.ok(said.includes(part), `the picture does not say ${part}: ${said}`)
  }

  const png = await download(page, 'export PNG')
  assert.equal(png.name, 'cotrace-forecast.png')
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG')
  const [width, height] = [png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)]
  assert.ok(width >= 1600 && height >= 800, `${width} by ${height} pixels`)
  assert.ok(png.bytes.length > 50_000, 'something is drawn on it')
  site.assertNoTrouble(page)
})

test('traces that are too large for a link: it says so and names the way out', async () => {
  const page = await openEmpty(site)
  for (let more = 0; more < 2; more += 1) await page.getByRole('button', { name: 'Add a job' }).click()
  for (const letter of 'ABCD') {
    await pick(page, letter, `${letter}.csv`, noisyTrace(letter, 700))
    await holds(page, letter, letter)
  }
  await page.getByRole('button', { name: 'copy link' }).click()
  const alert = page.locator('.share').getByRole('alert')
  await alert.getByText('These traces are too large for a link.').waitFor()
  assert.match(await alert.textContent(), /save all as one file/)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await alert.waitFor({ state: 'detached' })
  site.assertNoTrouble(page)
})

const packed = (text) => `#s=${deflateRawSync(text).toString('base64url')}`

for (const [what, fragment, wanted] of [
  ['cut short', packed(JSON.stringify({ cotrace_scene: 1, jobs: [{ name: 'x', trace: SORT }] })).slice(0, 200), /can't be opened/],
  ['of no letters that make sense', '#s=%%%', /can't be opened/],
  ['that unpacks to 40 MB', packed(' '.repeat(40e6)), /larger than 16000000 bytes/],
  ['of a later version', packed('{"cotrace_scene":9,"jobs":[]}'), /version|newer/i],
  ['with a sample that isn’t there', packed('{"cotrace_scene":1,"jobs":[{"name":"a","sample":"nobody"}]}'), /nobody/],
]) {
  test(`an address ${what} says so, and the page works`, async () => {
    const page = await site.newPage()
    await page.goto(`${site.url}${fragment}`)
    const alert = page.locator('.share').getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.textContent(), wanted)
    await checkAccessibility(page)
    await pick(page, 'A', 'sort.csv', SORT)
    await pick(page, 'B', 'scan.csv', SCAN)
    await forecasted(page)
    site.assertNoTrouble(page)
  })
}

test('a link put into the open page is opened there', async () => {
  const scene = (offset) =>
    packed(JSON.stringify({ cotrace_scene: 1, jobs: [{ name: 'sort', trace: SORT }, { name: 'scan', trace: SCAN, offset_seconds: offset }] }))
  const page = await site.newPage()
  await page.goto(`${site.url}${scene(3)}`)
  await holds(page, 'B', 'scan')
  await page.waitForFunction(() => document.querySelector('#start-B')?.value === '3')
  await page.evaluate((hash) => (location.hash = hash), scene(5))
  await page.waitForFunction(() => document.querySelector('#start-B')?.value === '5')
  await page.evaluate(() => (location.hash = '#new'))
  await page.getByText('How much do two jobs slow each other').waitFor()
  site.assertNoTrouble(page)
})
