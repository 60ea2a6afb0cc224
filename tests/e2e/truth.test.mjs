// One's own measured co-run over the forecast, and one's own model behind it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { assertFits, checkAccessibility, dist, openSite } from './lib.mjs'
import { VISITORS, drop, figures, file, forecasted, holds, named, openEmpty, place } from './page.mjs'
import { POEM, SCAN, SORT } from './traces.mjs'

let site
let samples

before(async () => {
  samples = JSON.parse(await readFile(join(dist, 'samples/index.json'), 'utf8'))
  site = await openSite()
})

after(async () => {
  await site?.close()
})

const check = (page) => page.locator('[data-check]')
const sample = (name) => join(dist, 'samples', samples.solo.find((solo) => solo.name === name).file)

/** A measured pair that starts together: its samples as anybody's files, and the co-run. */
async function openMeasured(visitor) {
  const pair = samples.pairs.find(({ a, b, offset_seconds: offset }) => a !== b && offset === 0)
  const page = await openEmpty(site, visitor)
  await place(page, 'A').locator('input[type="file"]').setInputFiles(sample(pair.a))
  await place(page, 'B').locator('input[type="file"]').setInputFiles(sample(pair.b))
  await forecasted(page)
  return { page, truth: join(dist, 'samples', pair.file) }
}

/** The rows of the table of errors. */
const errors = async (page) =>
  Object.fromEntries(
    await page.$$eval('[data-error]', (rows) =>
      rows.map((row) => [row.dataset.error, [...row.querySelectorAll('td')].map((cell) => cell.textContent)]),
    ),
  )

async function openPair(visitor) {
  const page = await openEmpty(site, visitor)
  await place(page, 'A').locator('input[type="file"]').setInputFiles(file('sort.csv', SORT))
  await place(page, 'B').locator('input[type="file"]').setInputFiles(file('scan.csv', SCAN))
  await forecasted(page)
  return page
}

for (const visitor of VISITORS) {
  const at = named(visitor)

  test(`a measured co-run is laid over the forecast, with what that is off by, ${at}`, async () => {
    const { page, truth } = await openMeasured(visitor)
    assert.equal(await page.locator('[data-figure="makespan"] .measured').count(), 0)
    await check(page).locator('#file-truth').setInputFiles(truth)
    await check(page).getByText('The forecast is off by').waitFor()
    const off = await errors(page)
    for (const key of ['makespan', 'finish-a', 'finish-b', 'cpu_cores', 'memory_bytes']) {
      assert.match(off[key]?.[0] ?? '', /^[\d.]+\s%$/, `${key}: ${JSON.stringify(off)}`)
    }
    assert.equal(await page.locator('.measured-end').count(), 2)
    await page.locator('[data-figure="makespan"] .measured').waitFor()
    // The legend and the charts say what the dashed line is.
    await page.locator('.legend').getByText(/measured/).waitFor()
    await assertFits(page)
    await checkAccessibility(page)

    await check(page).getByRole('button', { name: 'Take it away' }).click()
    await page.locator('[data-error]').first().waitFor({ state: 'detached' })
    assert.equal(await page.locator('.measured-end').count(), 0)
    site.assertNoTrouble(page)
  })

  test(`what is no co-run is told there, and the forecast stays, ${at}`, async () => {
    const { page, truth } = await openMeasured(visitor)
    const before = await figures(page)
    await drop(page, '[data-check]', { name: 'poem.txt', text: POEM })
    const alert = check(page).getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.textContent(), /poem\.txt/)
    assert.deepEqual(await figures(page), before)
    await checkAccessibility(page)

    // Without the jobs' own times only the whole is compared, and that is said.
    const text = gunzipSync(await readFile(truth)).toString()
    await drop(page, '[data-check]', { name: 'whole.csv', text: text.replace(/^# job .*\n/gm, '') })
    await check(page).getByText('only its whole length is compared').waitFor()
    await alert.waitFor({ state: 'detached' })
    const off = await errors(page)
    assert.ok('makespan' in off && !('finish-a' in off), JSON.stringify(off))
    await assertFits(page)
    site.assertNoTrouble(page)
  })

  test(`one's own model forecasts, with its card; a wrong file says why; back in one click, ${at}`, async () => {
    const page = await openPair(visitor)
    const ours = await figures(page)
    const own = page.locator('#file-model')
    await own.setInputFiles(join(dist, 'models/resourcenet.cotrace'))
    await page.locator('[data-model="resourcenet"]').waitFor({ timeout: 60_000 })
    await forecasted(page)
    const others = await figures(page)
    assert.notDeepEqual(others, ours)
    const shown = page.getByLabel('Model', { exact: true })
    assert.equal(await shown.evaluate((list) => list.selectedOptions[0].textContent), 'your own: resourcenet 1')
    await checkAccessibility(page)
    await assertFits(page)

    const model = page.locator('.model')
    for (const [name, bytes, told] of [
      ['sort.csv', Buffer.from(SORT), /sort\.csv.*no Cotrace model/],
      ['cut.cotrace', (await readFile(join(dist, 'models/cotrace.cotrace'))).subarray(0, 5000), /cut\.cotrace/],
    ]) {
      await own.setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes })
      await model.getByRole('alert').getByText(name).waitFor()
      assert.match(await model.getByRole('alert').textContent(), told)
      assert.deepEqual(await figures(page), others, 'the model that was there goes on')
    }

    await model.getByRole('button', { name: 'Back to cotrace' }).click()
    await page.locator('[data-model="cotrace"]').waitFor()
    await forecasted(page)
    assert.deepEqual(await figures(page), ours)

    // It is still in the list, and a dropped file is as good as a chosen one.
    await shown.selectOption({ label: 'your own: resourcenet 1' })
    await page.locator('[data-model="resourcenet"]').waitFor()
    site.assertNoTrouble(page)
  })
}

test('a model and a trace dropped together both find their place', async () => {
  const page = await openPair()
  const bytes = [...(await readFile(join(dist, 'models/resourcenet.cotrace')))]
  await page.evaluate(
    ({ bytes, text }) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([new Uint8Array(bytes)], 'mine.cotrace'))
      dataTransfer.items.add(new File([text], 'again.csv'))
      document.querySelector('footer').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    },
    { bytes, text: SORT.replace('name=sort', 'name=again') },
  )
  await page.locator('[data-model="resourcenet"]').waitFor({ timeout: 60_000 })
  await holds(page, 'A', 'again')
  site.assertNoTrouble(page)
})
