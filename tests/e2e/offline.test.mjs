// The page without a network, after one visit; and a newer version of it.

import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { dist, openSite } from './lib.mjs'
import { drop, figures, forecasted, holds, openExample } from './page.mjs'
import { SORT } from './traces.mjs'

let folder
let site

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cotrace-offline-'))
  await cp(dist, folder, { recursive: true })
  site = await openSite({ dir: folder })
})

after(async () => {
  await site?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A page whose files are all kept. */
async function visited() {
  const page = await openExample(site, { serviceWorkers: 'allow' })
  await page.evaluate(() => navigator.serviceWorker.ready)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  return page
}

test('after one visit everything works without a network', async () => {
  const page = await visited()
  const before = await figures(page)
  await page.context().setOffline(true)
  await page.reload()
  await page.locator('.example').waitFor()
  await forecasted(page)
  assert.deepEqual(await figures(page), before)

  await page.getByRole('button', { name: 'Gallery of measured jobs' }).click()
  await page.waitForFunction(() => {
    const jobs = [...document.querySelectorAll('.gallery [data-job] path')]
    return jobs.length >= 8 && jobs.every((path) => path.getAttribute('d').startsWith('M'))
  })
  await page.keyboard.press('Escape')
  await drop(page, 'footer', { name: 'sort.csv', text: SORT }, { name: 'again.csv', text: SORT })
  await holds(page, 'A', 'sort')
  await page.getByLabel('Model', { exact: true }).selectOption('resourcenet')
  await page.locator('[data-model="resourcenet"]').waitFor({ timeout: 60_000 })
  site.assertNoTrouble(page)
})

test('a newer version is told, and taken when the person says so', async () => {
  const page = await visited()
  const [index, worker] = await Promise.all(['index.html', 'sw.js'].map((name) => readFile(join(folder, name), 'utf8')))
  const version = /const VERSION = "([^"]+)"/.exec(worker)[1]
  await writeFile(join(folder, 'index.html'), index.replace('</title>', ' (newer)</title>'))
  await writeFile(join(folder, 'sw.js'), worker.replaceAll(version, `${version}-newer`))
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update())
  const notice = page.getByText('A newer version of this page is ready.')
  await notice.waitFor()
  assert.doesNotMatch(await page.title(), /newer/)

  // Not before it is asked for: what is on the page is of one version.
  await page.reload()
  assert.doesNotMatch(await page.title(), /newer/)
  await notice.waitFor()
  await page.getByRole('button', { name: 'Load it' }).click()
  await page.waitForFunction(() => document.title.includes('newer'))
  await page.locator('.example').waitFor()
  const kept = await page.evaluate(() => caches.keys())
  assert.equal(kept.length, 1, `what is not used any more is thrown away: ${kept}`)
  site.assertNoTrouble(page)
})
