// Charts that are read and looked into: with the mouse, the wheel, keys and fingers.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { assertFits, checkAccessibility, openSite } from './lib.mjs'
import { VISITORS, named, openExample } from './page.mjs'

let site

before(async () => {
  site = await openSite()
})

after(async () => {
  await site?.close()
})

const CPU = '[data-chart="cpu_cores"]'
const notice = (page) => page.locator('.zoomed')

/** The text of the chart's time axis stands on a canvas: what is on show is read where the cursor says it. */
async function momentAt(page, share) {
  const over = page.locator(`${CPU} .u-over`)
  await over.scrollIntoViewIfNeeded()
  const { x, y, width, height } = await over.boundingBox()
  await page.mouse.move(x + width * share, y + height / 2)
  const text = await page.locator(`${CPU} .readout`).textContent()
  const [, minutes, seconds] = /^(\d+):(\d+(?:\.\d+)?)/.exec(text) ?? assert.fail(`"${text}" begins with no time`)
  return Number(minutes) * 60 + Number(seconds)
}

const span = async (page) => (await momentAt(page, 0.99)) - (await momentAt(page, 0.01))

/** Seconds are read between steps of the forecast. */
const near = (got, wanted) => assert.ok(Math.abs(got - wanted) < 1.5, `${got} s on show, not ${wanted} s`)

for (const visitor of VISITORS) {
  const at = named(visitor)

  test(`one cursor reads all charts, ${at}`, async () => {
    const page = await openExample(site, visitor)
    await momentAt(page, 0.4)
    const texts = await page.locator('[data-chart] .readout').allTextContents()
    const drawn = texts.filter((text) => !text.startsWith('at most'))
    assert.ok(drawn.length >= 3, texts.join(' | '))
    assert.equal(new Set(drawn.map((text) => text.split(/\s/)[0])).size, 1, texts.join(' | '))
    for (const part of ['A ', 'B ', 'added up', 'measured']) {
      assert.ok(drawn[0].includes(part), `"${drawn[0]}" does not say ${part}`)
    }
    assert.ok(await page.locator('.strip-cursor.on').count(), 'the strip shows the moment, too')
    site.assertNoTrouble(page)
  })

  test(`keys read values aloud, zoom, and go back, ${at}`, async () => {
    const page = await openExample(site, visitor)
    const all = await span(page)
    const chart = page.locator(`${CPU} .chart-host`)
    await chart.focus()
    const live = page.locator('#chart-live')
    await page.keyboard.press('Home')
    const first = await live.textContent()
    await page.keyboard.press('ArrowRight')
    const second = await live.textContent()
    assert.match(first, /^CPU: 0:0\d/)
    assert.notEqual(second, first)
    await page.keyboard.press('End')
    assert.notEqual(await live.textContent(), second)
    assert.ok(await notice(page).isHidden())

    await page.keyboard.press('Home')
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await notice(page).waitFor()
    const closer = await span(page)
    assert.ok(Math.abs(closer / all - 0.49) < 0.1, `${closer} s of ${all} s`)
    await checkAccessibility(page)
    await assertFits(page)
    await chart.focus()
    await page.keyboard.press('-')
    assert.ok((await span(page)) > 1.2 * closer)
    await chart.focus()
    await page.keyboard.press('0')
    await notice(page).waitFor({ state: 'hidden' })
    assert.ok(Math.abs((await span(page)) - all) < 0.02 * all)
    await chart.focus()
    await page.keyboard.press('Escape')
    assert.equal(await live.textContent(), '')
    site.assertNoTrouble(page)
  })

  test(`a chart is a table on demand, ${at}`, async () => {
    const page = await openExample(site, visitor)
    const values = page.locator(`${CPU} .values`)
    await values.locator('summary').click()
    await values.locator('table').waitFor()
    const heads = await values.locator('thead th').allTextContents()
    for (const name of ['time', 'together', 'at least', 'at most', 'added up', 'measured']) {
      assert.ok(heads.includes(name), `no column ${name}: ${heads}`)
    }
    const rows = await values.locator('tbody tr').count()
    assert.ok(rows > 10 && rows <= 61, `${rows} rows`)
    const cells = await values.locator('tbody tr').nth(5).locator('td').allTextContents()
    const number = (name) => Number(cells[heads.indexOf(name) - 1])
    assert.ok(number('at least') <= number('together') && number('together') <= number('at most'), cells.join(' '))
    await assertFits(page)
    await checkAccessibility(page)
    site.assertNoTrouble(page)
  })

  test(`the sheet of keys opens with ? and by the button, ${at}`, async () => {
    const page = await openExample(site, visitor)
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keys' })
    await sheet.waitFor()
    await checkAccessibility(page)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    const button = page.getByRole('button', { name: /^Help/ })
    await button.click()
    await sheet.getByRole('button', { name: 'Close' }).click()
    await sheet.waitFor({ state: 'detached' })
    site.assertNoTrouble(page)
  })
}

test('the mouse: a drag zooms, shift and drag move, the wheel with ctrl zooms, a double click goes back', async () => {
  const page = await openExample(site)
  const all = await span(page)
  const over = page.locator(`${CPU} .u-over`)
  const { x, y, width, height } = await over.boundingBox()
  const drag = async (from, to) => {
    await page.mouse.move(x + width * from, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width * to, y + height / 2, { steps: 6 })
    await page.mouse.up()
  }
  await drag(0.25, 0.5)
  await notice(page).waitFor()
  const quarter = await span(page)
  assert.ok(Math.abs(quarter / all - 0.25) < 0.06, `${quarter} s of ${all} s`)
  const start = await momentAt(page, 0.01)
  assert.ok(Math.abs(start / all - 0.25) < 0.06, `from ${start} s of ${all} s`)

  // All charts show the same part.
  await page.mouse.move(x + width * 0.5, y + height / 2)
  const times = await page.locator('[data-chart] .readout').allTextContents()
  assert.equal(new Set(times.filter((text) => !text.startsWith('at most')).map((text) => text.split(/\s/)[0])).size, 1)

  await page.keyboard.down('Shift')
  await drag(0.8, 0.4)
  await page.keyboard.up('Shift')
  const moved = (await momentAt(page, 0.01)) - start
  assert.ok(Math.abs(moved / quarter - 0.4) < 0.1, `moved by ${moved} s of ${quarter} s`)
  near(await span(page), quarter)

  // A wheel alone scrolls the page, as everywhere.
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.wheel(0, 1)
  near(await span(page), quarter)
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, 100)
  await page.keyboard.up('Control')
  assert.ok((await span(page)) > 1.25 * quarter)

  // A click changes nothing; two go back.
  const before = await span(page)
  await page.mouse.click(x + width / 2, y + height / 2)
  assert.equal(await span(page), before)
  await page.mouse.dblclick(x + width / 2, y + height / 2)
  await notice(page).waitFor({ state: 'hidden' })
  assert.ok(Math.abs((await span(page)) - all) < 0.02 * all)

  await drag(0.1, 0.3)
  await notice(page).getByRole('button', { name: 'All of it' }).click()
  await notice(page).waitFor({ state: 'hidden' })

  // What is on show stays on show while the forecast changes under it.
  await drag(0.25, 0.5)
  const kept = await span(page)
  await page.getByLabel('Start of B, slider').press('PageUp')
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
  near(await span(page), kept)
  assert.ok(await notice(page).isVisible())
  site.assertNoTrouble(page)
})

test('fingers: two stretch, one moves', async () => {
  const page = await openExample(site, { width: 390, colorScheme: 'light' })
  const all = await span(page)
  const over = page.locator(`${CPU} .u-over`)
  await over.scrollIntoViewIfNeeded()
  const { x, y, width, height } = await over.boundingBox()
  const client = await page.context().newCDPSession(page)
  const touch = async (type, shares) => {
    const touchPoints = shares.map((share, id) => ({ x: x + width * share, y: y + height / 2, id }))
    await client.send('Input.dispatchTouchEvent', { type, touchPoints })
  }
  await touch('touchStart', [0.4, 0.6])
  for (const by of [0.05, 0.1, 0.15, 0.2]) await touch('touchMove', [0.4 - by, 0.6 + by])
  await touch('touchEnd', [])
  await notice(page).waitFor()
  const closer = await span(page)
  assert.ok(closer < 0.5 * all, `${closer} s of ${all} s`)

  const start = await momentAt(page, 0.01)
  await touch('touchStart', [0.7])
  for (const share of [0.6, 0.5, 0.4]) await touch('touchMove', [share])
  await touch('touchEnd', [])
  const moved = (await momentAt(page, 0.01)) - start
  assert.ok(moved > 0.15 * closer, `moved by ${moved} s of ${closer} s`)
  near(await span(page), closer)
  site.assertNoTrouble(page)
})
