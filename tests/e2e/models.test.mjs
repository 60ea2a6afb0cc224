// The model is chosen on the page: one is fetched at first, another when it is asked for.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { assertFits, checkAccessibility, openSite } from './lib.mjs'
import { assertLikeCommand, figures, forecasted, upload } from './page.mjs'
import { SCAN, SORT } from './traces.mjs'

let folder
let site
let sort
let scan

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cotrace-models-'))
  ;[sort, scan] = [join(folder, 'sort.csv'), join(folder, 'scan.csv')]
  await writeFile(sort, SORT)
  await writeFile(scan, SCAN)
  site = await openSite()
})

after(async () => {
  await site?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A page with the forecast of two files, and the names of the model files that it has fetched. */
async function open(options, prepare = async () => {}) {
  const page = await site.newPage(options)
  const fetched = []
  page.context().on('request', (request) => {
    const [, name] = /models\/(\w+)\.cotrace$/.exec(request.url()) ?? []
    if (name !== undefined) fetched.push(name)
  })
  await prepare(page)
  await page.goto(`${site.url}#new`)
  await upload(page, 'A', sort)
  await upload(page, 'B', scan)
  await forecasted(page)
  return { page, fetched }
}

const model = (page) => page.getByLabel('Model', { exact: true })

const note = (page) => page.locator('#model-note')

/** The model that the forecast on show says it is of. */
const shownModel = (page) => page.locator('[data-model]').getAttribute('data-model')

/** Chooses a model and waits for its forecast. */
async function choose(page, name) {
  await model(page).selectOption(name)
  await page.locator(`[data-model="${name}"]`).waitFor({ timeout: 60_000 })
  await forecasted(page)
}

/** Gives a model's file another answer. */
const answering = (name, answer) => (page) =>
  page.context().route(new RegExp(`models/${name}\\.cotrace$`), (route) => answer(route))

const missing = (route) => route.fulfill({ status: 404, body: 'no such file' })

for (const visitor of [
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
]) {
  test(`each model forecasts as the command does with it, ${visitor.width} px wide`, async () => {
    const { page, fetched } = await open(visitor)
    assert.equal(await model(page).inputValue(), 'cotrace')
    assert.deepEqual(fetched, ['cotrace'], 'only what is used is fetched')
    await assertLikeCommand(page, sort, scan)
    const ours = await figures(page)

    await choose(page, 'resourcenet')
    assert.deepEqual(fetched, ['cotrace', 'resourcenet'])
    await assertLikeCommand(page, sort, scan, '--model', 'resourcenet')
    const published = await figures(page)
    assert.notDeepEqual(published, ours)
    assert.match(await note(page).textContent(), /published.*version 1.*off by 0\.\d\d×/)
    await assertFits(page)
    await checkAccessibility(page)

    await choose(page, 'cotrace')
    assert.deepEqual(await figures(page), ours)
    assert.deepEqual(fetched, ['cotrace', 'resourcenet'], 'nothing is fetched twice')
    site.assertNoTrouble(page)
  })
}

test('the chosen model is kept, and then the only one that is fetched', async () => {
  const { page, fetched } = await open()
  await choose(page, 'resourcenet')
  fetched.length = 0
  await page.reload()
  await page.waitForFunction(() => document.querySelector('#model-note').textContent.includes('published'))
  assert.equal(await model(page).inputValue(), 'resourcenet')
  await upload(page, 'A', sort)
  await upload(page, 'B', scan)
  await forecasted(page)
  assert.equal(await shownModel(page), 'resourcenet')
  assert.deepEqual(fetched, ['resourcenet'])

  await choose(page, 'cotrace')
  await page.reload()
  await page.waitForFunction(() => document.querySelector('#model-note').textContent.includes('own'))
  assert.equal(await page.evaluate(() => localStorage.getItem('cotrace-model')), null)
  site.assertNoTrouble(page)
})

test('the page is usable while a model is fetched', async () => {
  let arrive
  const arrives = new Promise((resolve) => (arrive = resolve))
  const slowly = answering('resourcenet', async (route) => {
    await arrives
    await route.continue()
  })
  const { page } = await open({}, slowly)
  const before = await figures(page)
  await model(page).selectOption('resourcenet')
  await note(page).getByText('Fetching resourcenet. Until it is there, cotrace forecasts.').waitFor()
  await page.getByLabel('B starts after').fill('30')
  await page.waitForFunction(
    (old) => document.querySelector('[data-figure="makespan"] .value').textContent !== old,
    before.makespan,
  )
  assert.equal(await shownModel(page), 'cotrace')
  arrive()
  await page.locator('[data-model="resourcenet"]').waitFor({ timeout: 60_000 })
  await forecasted(page)
  await assertLikeCommand(page, sort, scan, '--offset', '30s', '--model', 'resourcenet')
  site.assertNoTrouble(page)
})

for (const [what, answer, told] of [
  ['that is missing', missing, /resourcenet\.cotrace.*can't be fetched: status 404/],
  ['that is none', (route) => route.fulfill({ body: '<!doctype html>' }), /resourcenet\.cotrace.*no Cotrace model file/],
]) {
  test(`a model ${what} is said, and the one before goes on`, async () => {
    const { page } = await open({}, answering('resourcenet', answer))
    const before = await figures(page)
    await model(page).selectOption('resourcenet')
    const alert = page.locator('.model').getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.textContent(), told)
    assert.match(await alert.textContent(), /Forecasts are made by cotrace\./)
    assert.equal(await model(page).inputValue(), 'cotrace')
    assert.deepEqual(await figures(page), before)
    await checkAccessibility(page)
    await page.getByLabel('B starts after').fill('30')
    await page.waitForFunction(
      (old) => document.querySelector('[data-figure="makespan"] .value').textContent !== old,
      before.makespan,
    )
    assert.equal(await shownModel(page), 'cotrace')
    assert.equal(await page.evaluate(() => localStorage.getItem('cotrace-model')), null)
  })
}

test('at first, a kept model that is missing is said, and the one to begin with stands in', async () => {
  const { page } = await open({}, async (page) => {
    await page.addInitScript(() => localStorage.setItem('cotrace-model', '"resourcenet"'))
    await answering('resourcenet', missing)(page)
  })
  assert.equal(await shownModel(page), 'cotrace')
  assert.equal(await model(page).inputValue(), 'cotrace')
  const alert = page.locator('.model').getByRole('alert')
  assert.match(await alert.textContent(), /resourcenet\.cotrace.*status 404.*Forecasts are made by cotrace/)
})
