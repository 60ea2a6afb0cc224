// The playground as people use it: files in, forecast out, mistakes told where they are made.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { assertFits, checkAccessibility, dist, openSite } from './lib.mjs'
import { assertLikeCommand, figures, forecasted, place, seconds, upload } from './page.mjs'
import { BROKEN, BROKEN_LINE, SCAN, SORT } from './traces.mjs'

const VISITORS = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
]

let folder
let site
const files = {}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cotrace-playground-'))
  for (const [name, text] of Object.entries({ 'sort.csv': SORT, 'scan.csv': SCAN, 'broken.csv': BROKEN })) {
    files[name] = join(folder, name)
    await writeFile(files[name], text)
  }
  site = await openSite()
})

after(async () => {
  await site?.close()
  await rm(folder, { recursive: true, force: true })
})

async function open(options) {
  const page = await site.newPage(options)
  await page.goto(`${site.url}#new`)
  await page.locator('[data-place="A"]').waitFor()
  return page
}

for (const visitor of VISITORS) {
  test(`two files give the forecast of the command, ${visitor.width} px wide, ${visitor.colorScheme}`, async () => {
    const page = await open(visitor)
    await assertFits(page)
    await checkAccessibility(page)
    await upload(page, 'A', files['sort.csv'])
    await upload(page, 'B', files['scan.csv'])
    await forecasted(page)
    await assertLikeCommand(page, files['sort.csv'], files['scan.csv'])
    assert.match(await page.locator('.headline').textContent(), /^Together they finish in /)
    assert.ok((await page.locator('[data-chart] canvas').count()) >= 3, 'charts are drawn')
    await assertFits(page)
    await checkAccessibility(page)
    site.assertNoTrouble(page)
  })
}

test('a file that fails says where, and leaves the rest', async () => {
  const page = await open()
  await upload(page, 'A', files['sort.csv'])
  await upload(page, 'B', files['scan.csv'])
  await forecasted(page)
  const before = await figures(page)
  const other = await place(page, 'B').textContent()

  await upload(page, 'A', files['broken.csv'])
  const alert = place(page, 'A').getByRole('alert')
  await alert.waitFor()
  const told = await alert.textContent()
  for (const part of ['broken.csv', `line ${BROKEN_LINE}`, 'cpu_cores', 'fast']) {
    assert.ok(told.includes(part), `"${told}" does not say ${part}`)
  }
  assert.equal(await place(page, 'B').textContent(), other)
  assert.equal(await place(page, 'A').locator('.job-name').textContent(), 'sort')
  assert.deepEqual(await figures(page), before)

  // And a good file afterwards is fine.
  await upload(page, 'A', files['scan.csv'])
  await alert.waitFor({ state: 'detached' })
  await forecasted(page)
  assert.equal(await place(page, 'A').locator('.job-name').textContent(), 'scan')
  site.assertNoTrouble(page)
})

test('files can be dropped and text pasted', async () => {
  const page = await open()
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'sort.csv', { type: 'text/csv' }))
    return data
  }, SORT)
  await place(page, 'A').dispatchEvent('drop', { dataTransfer: dropped })
  await place(page, 'A').getByText('alone on').waitFor()

  // Pasted anywhere on the page: into the place that is still empty.
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, SCAN)
  await forecasted(page)
  assert.equal(await place(page, 'B').locator('.job-name').textContent(), 'scan')
  const before = await figures(page)

  // Pasted into the field of a place.
  await place(page, 'B').getByRole('button', { name: 'Paste text for job B' }).click()
  await place(page, 'B').getByRole('textbox', { name: 'Text of the trace for job B' }).fill(SORT)
  await place(page, 'B').getByRole('button', { name: 'Read' }).click()
  await page.waitForFunction(() => document.querySelector('[data-place="B"] .job-name').textContent === 'sort')
  await page.waitForFunction(
    (old) => document.querySelector('[data-figure="makespan"] .value').textContent !== old,
    before.makespan,
  )
  site.assertNoTrouble(page)
})

test('a drop beside the places goes to the empty one, and the page stays', async () => {
  const page = await open()
  await upload(page, 'A', files['sort.csv'])
  await place(page, 'A').getByText('alone on').waitFor()
  const stayed = await page.evaluate((text) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([text], 'scan.csv'))
    const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    document.querySelector('footer').dispatchEvent(drop)
    return drop.defaultPrevented
  }, SCAN)
  assert.ok(stayed, 'the browser would have left the page for the file')
  await forecasted(page)
  assert.equal(await place(page, 'B').locator('.job-name').textContent(), 'scan')
})

test('the start of B and the node change the forecast; nonsense is told and changes nothing', async () => {
  const page = await open()
  await upload(page, 'A', files['sort.csv'])
  await upload(page, 'B', files['scan.csv'])
  await forecasted(page)
  const together = await figures(page)
  const changed = async (old) => {
    await page.waitForFunction(
      (text) => document.querySelector('[data-figure="makespan"] .value').textContent !== text,
      old.makespan,
      { timeout: 30_000 },
    )
    return figures(page)
  }
  await page.getByLabel('B starts after').fill('60')
  const apart = await changed(together)
  // One after the other: nobody is slowed by the other any more.
  assert.ok(seconds(apart.makespan).value >= 100, `60 s and then 45 s can't end after ${apart.makespan}`)

  await page.getByLabel('B starts after').fill('soon')
  await page.getByText('“soon” is not a number.').waitFor()
  assert.deepEqual(await figures(page), apart)
  await page.getByLabel('B starts after').fill('')
  assert.deepEqual(await changed(apart), together)

  assert.equal(await page.getByLabel('Memory', { exact: true }).inputValue(), '8')
  await page.getByLabel('Cores', { exact: true }).fill('8')
  await page.waitForFunction(() => document.querySelector('[data-figure="peak-cpu"] .detail').textContent.includes('8'))
  site.assertNoTrouble(page)
})

test('sar without cores asks for them, and reads again', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => `10:00:${String(index + 10).padStart(2, '0')},50,0,10,1,0,39`)
  const file = join(folder, 'sar.csv')
  await writeFile(file, `timestamp,%user,%nice,%system,%iowait,%steal,%idle\n${rows.join('\n')}\n`)
  const page = await open()
  await upload(page, 'A', file)
  const cores = place(page, 'A').getByLabel('Cores of its node')
  await cores.waitFor()
  await place(page, 'A').getByText('assumed').first().waitFor()
  await cores.fill('8')
  await cores.press('Tab')
  await place(page, 'A').getByText('alone on 8 cores').waitFor()
  assert.equal(await cores.inputValue(), '8')
  site.assertNoTrouble(page)
})

test('the theme is kept', async () => {
  const page = await open({ colorScheme: 'light' })
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await paper()
  await page.getByRole('button', { name: /^Theme: system/ }).click()
  await page.getByRole('button', { name: /^Theme: light/ }).click()
  const dark = await paper()
  assert.notEqual(dark, light)
  await page.reload()
  await page.getByRole('button', { name: /^Theme: dark/ }).waitFor()
  assert.equal(await paper(), dark)
})

test('a measured co-run of two samples lies over the forecast', async (t) => {
  const index = JSON.parse(await readFile(join(dist, 'samples/index.json'), 'utf8'))
  const pair = index.pairs?.find(({ a, b }) => a !== b)
  if (pair === undefined) return t.skip('no measured pair among the samples')
  const page = await open()
  await place(page, 'A').getByLabel('Sample for job A').selectOption(pair.a)
  await place(page, 'B').getByLabel('Sample for job B').selectOption(pair.b)
  await forecasted(page)
  await page.locator('[data-figure="makespan"] .measured').waitFor()
  await page.getByText(/^Measured: /).waitFor()
  assert.equal(await page.locator('.measured-end').count(), 2)
  await page.getByText('The model cotrace has learned from this run.').waitFor()
  const fileOf = (name) => join(dist, 'samples', index.solo.find((solo) => solo.name === name).file)
  await assertLikeCommand(page, fileOf(pair.a), fileOf(pair.b))

  // So has the published model.
  await page.getByLabel('Model', { exact: true }).selectOption('resourcenet')
  await page.getByText('The model resourcenet has learned from this run.').waitFor({ timeout: 60_000 })
  site.assertNoTrouble(page)
})

test('measured solo runs, uploaded as files, give the forecast of the command', async (t) => {
  const index = JSON.parse(await readFile(join(dist, 'samples/index.json'), 'utf8'))
  if (index.solo.length < 2) return t.skip('no measured solo runs among the samples')
  const files = index.solo.map(({ file }) => join(dist, 'samples', file))
  // Each job with the next, every time on a fresh page: no figure can be left over from the pair before.
  for (let k = 0; k < Math.min(5, files.length); k += 1) {
    const [a, b] = [files[k], files[(k + 1) % files.length]]
    const page = await open()
    await upload(page, 'A', a)
    await upload(page, 'B', b)
    await forecasted(page)
    await assertLikeCommand(page, a, b)
    site.assertNoTrouble(page)
    await page.close()
  }
})

test('traces of other people, as they are', async (t) => {
  const extra = process.env.COTRACE_EXTRA_TRACES
  if (extra === undefined) return t.skip('COTRACE_EXTRA_TRACES names no folder')
  const names = [
    'hadoop_pagerank_huge_2__alibaba_r6.large_5second.csv',
    'spark_logisticregression_large_2__alibaba_hfc6.large_5second.csv',
  ]
  const [a, b] = names.map((name) => {
    const found = [join(extra, name), join(extra, 'sar-csv-hibench', name)].find(existsSync)
    assert.ok(found, `${extra} has no ${name}`)
    return found
  })
  const page = await open()
  await upload(page, 'A', a)
  await upload(page, 'B', b)
  await forecasted(page)
  await assertLikeCommand(page, a, b)
  site.assertNoTrouble(page)
})
