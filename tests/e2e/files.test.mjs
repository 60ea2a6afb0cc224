// Files as people have them: what a file leaves open is asked for on its card, and what is wrong with it can be mended.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { assertFits, checkAccessibility, openSite } from './lib.mjs'
import { DOCKER, LATE, POEM, SCAN, SORT, TABLE, VMSTAT } from './traces.mjs'

let site

before(async () => {
  site = await openSite()
})

after(async () => {
  await site?.close()
})

async function open(options, prepare = async () => {}) {
  const page = await site.newPage(options)
  await prepare(page)
  await page.goto(`${site.url}#new`)
  await page.locator('[data-place="A"]').waitFor()
  return page
}

const place = (page, letter) => page.locator(`[data-place="${letter}"]`)

const upload = (page, letter, name, text) =>
  place(page, letter)
    .locator('input[type="file"]')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

const said = (page, letter, text) => place(page, letter).getByText(text).first().waitFor()

/** The page with a forecaster whose `readTrace` is wrapped: `wrapper` gets the original and its arguments. */
const withReader = (wrapper) => (page) =>
  page.context().route(/pkg\/cotrace\.js$/, async (route) => {
    const response = await route.fetch()
    const patch = `const original = Cotrace.prototype.readTrace
      const wrapper = ${wrapper}
      Cotrace.prototype.readTrace = function (name, content, options) {
        const read = (content, options) => original.call(this, name, content, options)
        return wrapper(read, name, content, options ?? {})
      }`
    await route.fulfill({ response, body: `${await response.text()}\n${patch}\n` })
  })

/** Two containers in every file. */
const twoContainers = withReader(`(read, name, content, { subject, ...options }) => {
  const choices = ['db', 'web']
  if (!choices.includes(subject)) {
    throw { kind: 'several', message: '2 containers in one file.', file: name, hint: 'Say which one.', choices }
  }
  return { ...read(content, options), name: subject }
}`)

/** Every file is a table of which the columns were guessed, the second wrongly. */
const guessed = withReader(`(read, name, content, { mapping, ...options }) => {
  const said = new Map(mapping?.columns ?? [])
  const column = (header, examples, role) => {
    const reason = said.has(header) ? 'as stated' : 'by its name'
    return { header, examples, reason, ...(said.get(header) ?? role) }
  }
  const guess = {
    columns: [
      column('ts', ['0', '1'], { role: 'time', unit: 's' }),
      column('used', ['1.5', '1.6'], { role: 'ignored' }),
    ],
  }
  const trace = read(content, options)
  return { ...trace, name: guess.columns[1].role === 'metric' ? guess.columns[1].metric : 'nothing', guess }
}`)

test('a file without times asks for the time between samples, and reads again', async () => {
  const page = await open()
  await upload(page, 'A', 'vmstat.txt', VMSTAT)
  await said(page, 'A', /samples, every 1\ss/)
  const step = place(page, 'A').getByLabel('Between samples')
  await step.fill('5')
  await step.press('Tab')
  await said(page, 'A', /samples, every 5\ss/)
  assert.equal(await step.inputValue(), '5')
  await step.fill('soon')
  await said(page, 'A', '“soon” is not a number.')
  await said(page, 'A', /samples, every 5\ss/)
  await checkAccessibility(page)
  site.assertNoTrouble(page)
})

test('the format is told, can be said, and a wrong one leaves the trace', async () => {
  const page = await open()
  await upload(page, 'A', 'sort.csv', SORT)
  const format = place(page, 'A').getByLabel('Format')
  await format.waitFor()
  const shown = () => format.evaluate((select) => select.selectedOptions[0].textContent)
  assert.equal(await shown(), 'Cotrace CSV (auto)')
  await format.selectOption('vmstat')
  const alert = place(page, 'A').getByRole('alert')
  await alert.waitFor()
  assert.equal(await place(page, 'A').locator('.job-name').textContent(), 'sort')
  assert.equal(await shown(), 'Cotrace CSV (auto)')
  const other = place(page, 'A').getByLabel('Read it as')
  assert.equal(await other.inputValue(), 'vmstat')

  // The same file, as what it is.
  await other.selectOption('cotrace-csv')
  await alert.waitFor({ state: 'detached' })
  assert.equal(await format.inputValue(), 'cotrace-csv')
  site.assertNoTrouble(page)
})

test('what is no trace says what was tried, and goes away', async () => {
  const page = await open({ width: 390 })
  await upload(page, 'A', 'sort.csv', SORT)
  await said(page, 'A', 'alone on')
  await upload(page, 'B', 'poem.txt', POEM)
  const alert = place(page, 'B').getByRole('alert')
  await alert.waitFor()
  assert.match(await alert.textContent(), /poem\.txt.*not a trace/i)
  assert.ok((await alert.textContent()).length < 300, 'what was tried does not stand in the way')
  const tried = place(page, 'B').locator('.tried')
  await tried.locator('summary').click()
  assert.ok((await tried.locator('li').count()) > 10)
  await assertFits(page)
  await checkAccessibility(page)
  await place(page, 'B').getByRole('button', { name: /^Dismiss/ }).click()
  await alert.waitFor({ state: 'detached' })
  assert.equal(await place(page, 'A').locator('.job-name').textContent(), 'sort')
  site.assertNoTrouble(page)
})

test('a file that is too large is refused by its size', async () => {
  const page = await open()
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([new Uint8Array(65 * 2 ** 20)], 'huge.csv'))
    document.querySelector('[data-place="A"]').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }))
  })
  await said(page, 'A', 'It has 65 MiB; at most 64 MiB are read.')
  site.assertNoTrouble(page)
})

test('several containers in a file: one is chosen, the other one may be the other job', async () => {
  const page = await open({}, twoContainers)
  await upload(page, 'A', 'stats.log', SORT)
  const choices = place(page, 'A').getByRole('group', { name: 'In the file for job A' })
  await choices.waitFor()
  assert.deepEqual(await choices.getByRole('button').allTextContents(), ['db', 'web'])
  await checkAccessibility(page)
  await choices.getByRole('button', { name: 'web' }).click()
  await choices.waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.querySelector('[data-place="A"] .job-name').textContent === 'web')
  assert.equal(await place(page, 'A').getByLabel('Which one').inputValue(), 'web')

  const others = place(page, 'A').getByRole('group', { name: 'For job B, from the same file' })
  await others.getByRole('button', { name: 'db' }).click()
  await page.waitForFunction(() => document.querySelector('[data-place="B"] .job-name').textContent === 'db')
  await page.locator('[data-figure="makespan"]').waitFor({ timeout: 60_000 })
  await others.waitFor({ state: 'detached' })

  // Removing one leaves the other: they share a file, not a trace.
  await page.getByRole('button', { name: 'Remove job A' }).click()
  await place(page, 'B').getByLabel('Which one').selectOption('web')
  await page.waitForFunction(() => document.querySelector('[data-place="B"] .job-name').textContent === 'web')
  site.assertNoTrouble(page)
})

test('a log of docker stats asks which container', async () => {
  const page = await open()
  await upload(page, 'A', 'stats.log', DOCKER)
  const choices = place(page, 'A').getByRole('group', { name: 'In the file for job A' })
  await choices.getByRole('button', { name: 'db' }).click()
  await said(page, 'A', 'alone on')
  assert.equal(await place(page, 'A').getByLabel('Which one').inputValue(), 'db')
  // Containers' figures do not say how many cores the machine has.
  const cores = place(page, 'A').getByLabel('Cores of its node')
  await cores.fill('4')
  await cores.press('Tab')
  await said(page, 'A', 'alone on 4\u00a0cores')
  site.assertNoTrouble(page)
})

test('guessed columns are shown, can be mended, and are remembered without what is in them', async () => {
  const page = await open({}, guessed)
  await upload(page, 'A', 'table.csv', SORT)
  const name = (text) =>
    page.waitForFunction((text) => document.querySelector('[data-place="A"] .job-name').textContent === text, text)
  await name('nothing')
  const columns = place(page, 'A').locator('[data-columns]')
  await columns.getByText('Columns, as guessed').click()
  await columns.getByText('1.5, 1.6').waitFor()
  await columns.getByLabel('What used is, job A').selectOption('memory_bytes')
  await columns.getByLabel('Unit of used, job A').selectOption({ index: 1 })
  await checkAccessibility(page)
  await columns.getByRole('button', { name: 'Read it so' }).click()
  await name('memory_bytes')
  await said(page, 'A', 'Columns as you set them')

  const kept = await page.evaluate(() => JSON.stringify(localStorage))
  assert.ok(kept.includes('memory_bytes') && kept.includes('used'), kept)
  assert.ok(!kept.includes('1.5'), `data is kept: ${kept}`)

  await page.reload()
  await upload(page, 'A', 'another.csv', SORT)
  await name('memory_bytes')
  await said(page, 'A', 'Columns as you set them before')
  await columns.locator('summary').click()
  await columns.getByRole('button', { name: 'Forget, and guess' }).click()
  await name('nothing')
  assert.equal(await page.evaluate(() => localStorage.getItem('cotrace-columns')), null)
  site.assertNoTrouble(page)
})

test('a table that no format knows is read by a guess, which can be mended', async () => {
  const page = await open()
  await upload(page, 'A', 'table.csv', TABLE)
  await said(page, 'A', 'alone on')
  const columns = place(page, 'A').locator('[data-columns]')
  await columns.locator('summary').click()
  await columns.getByLabel('What rss is, job A').selectOption('ignored')
  await columns.getByRole('button', { name: 'Read it so' }).click()
  await said(page, 'A', 'Columns as you set them')
  site.assertNoTrouble(page)
})

test('a trace is cut on its plot, by mouse and by keys, and is whole again', async () => {
  const page = await open()
  await upload(page, 'A', 'sort.csv', SORT)
  await said(page, 'A', /1\smin alone on/)
  const plot = place(page, 'A').locator('[data-plot]')
  await plot.locator('summary').click()
  const over = plot.locator('.u-over').first()
  await over.waitFor()
  const box = await over.boundingBox()
  await page.mouse.move(box.x + box.width / 4, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + 20, { steps: 5 })
  await page.mouse.up()
  const [from, to] = [plot.getByLabel('From, stretch of job A'), plot.getByLabel('to, stretch of job A')]
  assert.match(await from.inputValue(), /^0:1[45](\.\d)?$/)
  assert.match(await to.inputValue(), /^0:(29(\.\d)?|30(\.\d)?)$/)
  await from.fill('0:20')
  await to.fill('0:50')
  await checkAccessibility(page)
  const keep = plot.getByRole('button', { name: 'Keep only this' })
  await keep.focus()
  await page.keyboard.press('Enter')
  await said(page, 'A', 'Only 0:20 to 0:50')
  await said(page, 'A', /30\.0\ss alone on/)

  await from.fill('0:50')
  await to.fill('0:10')
  await said(page, 'A', 'The stretch must end after it starts.')
  assert.ok(await keep.isDisabled())

  // A part is forecast like a trace; the whole comes back as it was.
  await upload(page, 'B', 'scan.csv', SCAN)
  await page.locator('[data-figure="makespan"]').waitFor({ timeout: 60_000 })
  await place(page, 'A').getByRole('button', { name: 'Whole trace again' }).click()
  await said(page, 'A', /1\smin alone on/)
  site.assertNoTrouble(page)
})

test('a finger chooses a part too', async () => {
  const page = await open({ width: 390 })
  await upload(page, 'A', 'sort.csv', SORT)
  const plot = place(page, 'A').locator('[data-plot]')
  await plot.locator('summary').click()
  const over = plot.locator('.u-over').first()
  await over.waitFor()
  const { x, y, width } = await over.boundingBox()
  const touch = (type, share) =>
    over.dispatchEvent(type, { pointerType: 'touch', clientX: x + share * width, clientY: y + 20, bubbles: true })
  await touch('pointerdown', 0.75)
  await touch('pointermove', 0.5)
  await touch('pointerup', 0.5)
  assert.match(await plot.getByLabel('From, stretch of job A').inputValue(), /^0:(29(\.\d)?|30(\.\d)?)$/)
  assert.match(await plot.getByLabel('to, stretch of job A').inputValue(), /^0:4[45](\.\d)?$/)
  site.assertNoTrouble(page)
})

test('idle ends are cut off at a word, and findings are shown on the plot', async () => {
  const page = await open({ width: 390, colorScheme: 'dark' })
  await upload(page, 'A', 'late.csv', LATE)
  await said(page, 'A', /1\smin\s30\ss alone on/)
  const health = place(page, 'A').locator('[data-health]')
  await health.locator('summary').first().click()
  await health.getByRole('button', { name: /^Show / }).first().click()
  await place(page, 'A').locator('[data-plot] canvas').first().waitFor()
  await assertFits(page)
  await checkAccessibility(page)
  await health.getByRole('button', { name: /^Use 0:\d\d to 1:\d\d only$/ }).click()
  await said(page, 'A', /^Only 0:/)
  site.assertNoTrouble(page)
})
