// The tests' own footing: a harness that sees nothing makes every page look fine.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { assertFits, assertNoTrouble, checkAccessibility, openSite, run } from './lib.mjs'

const page = (body) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Test</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"></head>
<body style="margin:0"><main><h1>Test</h1>${body}</main></body></html>`

let dir
let site

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cotrace-e2e-'))
  const files = {
    'index.html': page('<script src="./ok.js"></script>'),
    'ok.js': 'document.title = getComputedStyle(document.body).colorScheme + innerWidth',
    'error.html': page('<script>console.error("broken"); throw new Error("thrown")</script>'),
    'missing.html': page('<img src="./none.png" alt="">'),
    'outside.html': page('<img src="http://example.invalid/x.png" alt="">'),
    'wide.html': page('<div style="width:2000px">wide</div>'),
    'unlabelled.html': page('<input>'),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
  site = await openSite({ dir })
})

after(async () => {
  await site?.close()
  await rm(dir, { recursive: true })
})

test('a good page under a sub-path is no trouble', async () => {
  assert.match(site.url, /^http:\/\/127\.0\.0\.1:\d+\/some\/sub\/path\/$/)
  const visitor = await site.newPage({ width: 390 })
  await visitor.goto(site.url)
  assert.match(await visitor.title(), /390$/)
  assertNoTrouble(visitor)
  await assertFits(visitor)
  await checkAccessibility(visitor)
})

for (const [file, expected] of [
  ['error.html', [/console error: broken/, /uncaught: thrown/]],
  ['missing.html', [/status 404: .*none\.png/]],
  ['outside.html', [/request to elsewhere: http:\/\/example\.invalid/]],
]) {
  test(`${file} is noticed`, async () => {
    const visitor = await site.newPage()
    await visitor.goto(site.url + file)
    await visitor.waitForLoadState('networkidle')
    const told = visitor.trouble.join('\n')
    for (const pattern of expected) assert.match(told, pattern)
    assert.throws(() => assertNoTrouble(visitor))
  })
}

test('a page too wide and a field without a name are noticed', async () => {
  const visitor = await site.newPage({ width: 390 })
  await visitor.goto(site.url + 'wide.html')
  await assert.rejects(assertFits(visitor), /2000 px wide/)
  await visitor.goto(site.url + 'unlabelled.html')
  await assert.rejects(checkAccessibility(visitor), /label/)
})

test('a program is run with its input, and its end is told', async () => {
  const told = await run(process.execPath, ['-e', 'process.stdin.on("data", (d) => { console.log(`${d}!`); process.exitCode = 3 })'], {
    input: 'hello',
  })
  assert.deepEqual(told, { code: 3, stdout: 'hello!\n', stderr: '' })
})
