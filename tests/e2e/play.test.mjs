// What can be played with: starts, sizes, jobs, the node; and that all of it can be undone.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { assertFits, checkAccessibility, openSite } from './lib.mjs'
import { VISITORS, drop, figure, figures, file, forecasted, holds, named, openEmpty, openExample, place, seconds } from './page.mjs'
import { SCAN, SORT } from './traces.mjs'

let site

before(async () => {
  site = await openSite()
})

after(async () => {
  await site?.close()
})

/** Sort and scan, forecast together. */
async function openPair(visitor) {
  const page = await openEmpty(site, visitor)
  await place(page, 'A').locator('input[type="file"]').setInputFiles(file('sort.csv', SORT))
  await place(page, 'B').locator('input[type="file"]').setInputFiles(file('scan.csv', SCAN))
  await forecasted(page)
  return page
}

const makespan = async (page, before) => figure(page, 'makespan', before)
const undo = (page) => page.getByRole('button', { name: 'undo' }).click()

for (const visitor of VISITORS) {
  const at = named(visitor)

  test(`the page opens on a measured pair, and one's own files take its place, ${at}`, async () => {
    const page = await openExample(site, visitor)
    await page.locator('[data-figure="makespan"] .measured').waitFor()
    assert.match(await page.locator('.headline').textContent(), /^Together they finish in /)
    await assertFits(page)
    await checkAccessibility(page)
    const example = await place(page, 'A').locator('.job-name').textContent()

    await page.getByRole('button', { name: 'Use your own traces' }).click()
    await page.getByText('How much do two jobs slow each other').waitFor()
    assert.equal(await page.locator('[data-figure]').count(), 0)

    // The same by a drop: the example makes room at once.
    await undo(page)
    await holds(page, 'A', example)
    await drop(page, 'footer', { name: 'sort.csv', text: SORT }, { name: 'scan.csv', text: SCAN })
    await holds(page, 'A', 'sort')
    await holds(page, 'B', 'scan')
    await forecasted(page)
    assert.equal(await page.locator('.example').count(), 0)
    site.assertNoTrouble(page)
  })

  test(`five files: four find a place, and the fifth is told, ${at}`, async () => {
    const page = await openEmpty(site, visitor)
    const files = [1, 2, 3, 4, 5].map((k) => ({ name: `job${k}.csv`, text: SORT.replace('name=sort', `name=job${k}`) }))
    await drop(page, 'footer', ...files)
    for (const [k, letter] of [...'ABCD'].entries()) await holds(page, letter, `job${k + 1}`)
    await page.locator('.share').getByRole('alert').getByText('There is room for 4 jobs. Left out: job5.csv.').waitFor()
    await forecasted(page)
    assert.equal(await page.locator('[data-row]').count(), 4)
    await assertFits(page)
    await checkAccessibility(page)
    site.assertNoTrouble(page)
  })

  test(`B starts later by slider, field and bar, and at once again, ${at}`, async () => {
    const page = await openPair(visitor)
    const together = await makespan(page)
    const slowed = await figure(page, 'slowdown-b')
    const slider = page.getByLabel('Start of B, slider')
    await slider.focus()
    for (let k = 0; k < 4; k += 1) await page.keyboard.press('PageUp')
    const slid = await slider.inputValue()
    assert.ok(Number(slid) > 10, `four steps of the slider are ${slid} s`)
    await page.waitForFunction((slid) => document.querySelector('#start-B').value === slid, slid)
    await makespan(page, together)
    const [, said] = /^([\d.]+)\ss after A$/.exec(await slider.getAttribute('aria-valuetext'))
    assert.equal(Number(said), Number(slid))

    await page.locator('[data-start="B"]').getByRole('button', { name: 'at once' }).click()
    await page.waitForFunction(
      (text) => document.querySelector('[data-figure="makespan"] .value').textContent === text,
      together,
    )
    assert.equal(await page.getByLabel('B starts after').inputValue(), '')

    const lane = page.locator('[data-row="B"] .strip-lane')
    await lane.scrollIntoViewIfNeeded()
    const box = await lane.boundingBox()
    await page.mouse.move(box.x + 10, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + 10 + box.width / 3, box.y + box.height / 2, { steps: 8 })
    await page.mouse.up()
    const dragged = Number(await page.getByLabel('B starts after').inputValue())
    const expected = seconds(together).value / 3
    assert.ok(Math.abs(dragged - expected) < 0.1 * expected, `a third of the lane is ${dragged} s, not ${expected} s`)
    await figure(page, 'slowdown-b', slowed)
    site.assertNoTrouble(page)
  })

  test(`the best start is found, drawn, and no worse than any other, ${at}`, async () => {
    const page = await openPair(visitor)
    const together = seconds(await makespan(page)).value
    await page.locator('[data-start="B"]').getByRole('button', { name: 'Best start' }).click()
    const course = page.locator('[data-start="B"] .course')
    await course.waitFor({ timeout: 60_000 })
    await forecasted(page)
    const text = await course.textContent()
    const [, best, worst] = /all done after (.+); the worst takes (.+)\.$/.exec(text)
    const now = seconds(await makespan(page))
    assert.ok(Math.abs(now.value - seconds(best).value) <= 2 * now.tolerance, `${text}: the page says ${now.value} s`)
    assert.ok(seconds(best).value <= together && seconds(worst).value >= together, text)
    // It belongs to this pair and this node only.
    await page.getByLabel('Size of job A').fill('2')
    await course.waitFor({ state: 'detached' })
    site.assertNoTrouble(page)
  })

  test(`a larger job takes longer, a muted one is left out, a copy is a third, ${at}`, async () => {
    const page = await openPair(visitor)
    const one = await figures(page)
    await page.getByLabel('Size of job A').fill('2')
    const two = await makespan(page, one.makespan)
    assert.ok(seconds(two).value > 1.4 * seconds(one.makespan).value, `${one.makespan}, and for twice as much ${two}`)
    await place(page, 'A').getByText('As much to do as 2 times the trace').waitFor()
    await page.getByLabel('Size of job A').fill('-1')
    await place(page, 'A').getByText('above 0').waitFor()
    assert.equal(await makespan(page), two)
    await place(page, 'A').getByRole('button', { name: 'As it was' }).click()
    await page.waitForFunction(
      (text) => document.querySelector('[data-figure="makespan"] .value').textContent === text,
      one.makespan,
    )

    await page.getByRole('button', { name: 'Duplicate job A' }).click()
    await page.locator('[data-figure="slowdown-c"]').waitFor()
    await forecasted(page)
    const three = await makespan(page)
    assert.ok(seconds(three).value > seconds(one.makespan).value, `three take ${three}, two ${one.makespan}`)
    await assertFits(page)

    const mute = page.getByRole('button', { name: 'Leave job C out' })
    await mute.click()
    assert.equal(await mute.getAttribute('aria-pressed'), 'true')
    await page.locator('[data-figure="slowdown-c"]').waitFor({ state: 'detached' })
    await forecasted(page)
    assert.deepEqual(await figures(page), one)
    await checkAccessibility(page)
    site.assertNoTrouble(page)
  })

  test(`places come and go; the published model takes two jobs and says so, ${at}`, async () => {
    const page = await openPair(visitor)
    await page.getByRole('button', { name: 'Add a job' }).click()
    await page.getByRole('button', { name: 'Add a job' }).click()
    assert.equal(await page.locator('[data-place]').count(), 4)
    assert.equal(await page.getByRole('button', { name: 'Add a job' }).count(), 0)
    await place(page, 'D').locator('input[type="file"]').setInputFiles(file('sort.csv', SORT))
    await page.locator('[data-figure="slowdown-d"]').waitFor({ timeout: 30_000 })
    await page.getByRole('button', { name: 'Remove job C' }).click()
    await page.getByRole('button', { name: /^Remove job [CD]/ }).click()
    await page.locator('[data-place="C"]').waitFor({ state: 'detached' })
    await page.getByLabel('Model', { exact: true }).selectOption('resourcenet')
    const no = page.getByRole('button', { name: 'This model takes two jobs' })
    await no.waitFor({ timeout: 60_000 })
    assert.ok(await no.isDisabled())
    assert.ok(await page.getByRole('button', { name: 'Duplicate job A' }).isDisabled())
    site.assertNoTrouble(page)
  })

  test(`a smaller and a larger machine change the forecast, a field can be left to the traces, ${at}`, async () => {
    const page = await openPair(visitor)
    if (!(await page.getByLabel('Machine').isVisible())) await page.locator('.node summary').click()
    const before = await figures(page)
    await page.getByLabel('Machine').selectOption({ label: '16 cores, 64 GiB' })
    const large = await makespan(page, before.makespan)
    assert.ok(seconds(large).value < seconds(before.makespan).value, `16 cores: ${large}, 2: ${before.makespan}`)
    assert.equal(await page.getByLabel('Cores', { exact: true }).inputValue(), '16')
    await page.getByLabel('Cores', { exact: true }).fill('3')
    assert.equal(await page.getByLabel('Machine').evaluate((list) => list.selectedOptions[0].textContent), 'as typed below')
    await page.getByLabel('Machine').selectOption({ label: 'as the traces say' })
    await page.waitForFunction(
      (text) => document.querySelector('[data-figure="makespan"] .value').textContent === text,
      before.makespan,
    )
    site.assertNoTrouble(page)
  })

  test(`what was done is undone and done again, with keys and buttons, ${at}`, async () => {
    const page = await openPair(visitor)
    const names = async () => page.locator('[data-place] .job-name').allTextContents()
    assert.deepEqual(await names(), ['sort', 'scan'])
    const before = await figures(page)
    await page.locator('h1').click()
    await page.keyboard.press('x')
    await holds(page, 'A', 'scan')
    await figure(page, 'slowdown-a', before['slowdown-a'])
    await page.keyboard.press('Control+z')
    await holds(page, 'A', 'sort')
    await forecasted(page)
    await page.waitForFunction((text) => document.querySelector('[data-figure="slowdown-a"] .value').textContent === text, before['slowdown-a'])
    await page.keyboard.press('Control+Shift+z')
    await holds(page, 'A', 'scan')
    await page.getByRole('button', { name: 'undo' }).click()
    await holds(page, 'A', 'sort')

    // A trace that was removed is there again, with what was set on it.
    await page.getByLabel('Size of job B').fill('3')
    await page.getByRole('button', { name: 'Remove job B' }).click()
    await page.locator('[data-figure]').first().waitFor({ state: 'detached' })
    await undo(page)
    await holds(page, 'B', 'scan')
    assert.equal(await page.getByLabel('Size of job B').inputValue(), '3')
    await forecasted(page)

    // Typing in a field has the field's own undo; x is a letter there.
    await page.getByLabel('Size of job A').press('x')
    assert.deepEqual(await names(), ['sort', 'scan'])
    site.assertNoTrouble(page)
  })

  test(`the gallery fills places without being closed, ${at}`, async () => {
    const page = await openEmpty(site, visitor)
    await page.getByRole('button', { name: 'Gallery of measured jobs' }).click()
    const sheet = page.getByRole('dialog', { name: 'Measured jobs' })
    await sheet.waitFor()
    await page.waitForFunction(() => {
      const jobs = [...document.querySelectorAll('.gallery [data-job]')]
      return jobs.length >= 8 && jobs.every((job) => job.querySelector('path').getAttribute('d').startsWith('M'))
    })
    await checkAccessibility(page)
    const jobs = sheet.locator('[data-job]')
    const [first, second] = [await jobs.nth(0).getAttribute('data-job'), await jobs.nth(5).getAttribute('data-job')]
    await jobs.nth(0).getByRole('button', { name: /^as A/ }).click()
    await sheet.getByText(`${first} is job A now.`).waitFor()
    await jobs.nth(5).getByRole('button', { name: /^as B/ }).click()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await forecasted(page)
    await holds(page, 'A', first)
    await holds(page, 'B', second)
    site.assertNoTrouble(page)
  })
}

test('a large file that is being read can be stopped, and what was there stays', async () => {
  const page = await site.newPage()
  await page.context().route(/pkg\/cotrace\.js$/, async (route) => {
    const response = await route.fetch()
    const slow = `const read = Cotrace.prototype.readTrace
      Cotrace.prototype.readTrace = function (name, ...rest) {
        if (name === 'slow.csv') { const until = Date.now() + 3000; while (Date.now() < until); }
        return read.call(this, name, ...rest)
      }`
    await route.fulfill({ response, body: `${await response.text()}\n${slow}\n` })
  })
  await page.goto(`${site.url}#new`)
  await place(page, 'A').locator('input[type="file"]').setInputFiles(file('sort.csv', SORT))
  await holds(page, 'A', 'sort')
  await place(page, 'A').locator('input[type="file"]').setInputFiles(file('slow.csv', SCAN))
  await holds(page, 'A', 'Reading slow.csv …')
  await page.getByRole('button', { name: 'Stop reading job A' }).click()
  await holds(page, 'A', 'sort')
  // The worker's answer comes late, and to nobody.
  await place(page, 'B').locator('input[type="file"]').setInputFiles(file('scan.csv', SCAN))
  await forecasted(page)
  await holds(page, 'A', 'sort')
  site.assertNoTrouble(page)
})
