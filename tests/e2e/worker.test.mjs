// The worker by its own protocol: every mistake is answered, and the call after it works.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { openSite } from './lib.mjs'
import { SCAN, SORT, VMSTAT } from './traces.mjs'

let site

before(async () => {
  site = await openSite()
})

after(async () => {
  await site?.close()
})

/** A page with `window.ask(call, args)`, which gives what the worker answers. */
async function withWorker(prepare = async () => {}) {
  const page = await site.newPage()
  await prepare(page)
  await page.goto(site.url)
  await page.evaluate(() => {
    const worker = new Worker('pkg/worker.js', { type: 'module' })
    const waiting = new Map()
    worker.onmessage = ({ data }) => waiting.get(data.id)(data)
    let last = 0
    window.ask = (call, args) =>
      new Promise((resolve) => {
        last += 1
        waiting.set(last, resolve)
        worker.postMessage({ id: last, call, args })
      })
  })
  const ask = (call, args) => page.evaluate(([call, args]) => window.ask(call, args), [call, args])
  return { page, ask }
}

async function value(answer) {
  const { ok, value, error } = await answer
  assert.ok(ok, JSON.stringify(error))
  return value
}

const readBoth = async (ask) => [
  await value(ask('readTrace', { name: 'sort.csv', source: SORT })),
  await value(ask('readTrace', { name: 'scan.csv', source: SCAN })),
]

test('wrong calls are told apart, and a right one works after each', async () => {
  const { ask } = await withWorker()
  const early = (await readBoth(ask)).map(({ handle }) => ({ handle }))
  assert.equal((await ask('forecast', { jobs: early })).error?.kind, 'no-such-model', 'before init')
  assert.equal((await ask('init', { model: 'nowhere.cotrace' })).error?.kind, 'fetch')
  assert.equal((await ask('init', { model: '../index.html' })).ok, false, 'a page is no model')
  assert.equal((await value(ask('init'))).name, 'cotrace')
  const [a, b] = await readBoth(ask)
  const jobs = [{ handle: a.handle }, { handle: b.handle }]
  const good = await value(ask('forecast', { jobs }))
  assert.deepEqual(await value(ask('forecast', { jobs: early })), good, 'what was read before is still there')

  const wrong = [
    ['nothing', {}, 'usage'],
    ['toString', {}, 'usage'],
    ['readTrace', { name: 7, source: SORT }, 'usage'],
    ['readTrace', { name: 'a.csv', source: 7 }, 'usage'],
    ['readTrace', { name: 'a.csv', source: SORT, options: { core: 2 } }, 'usage'],
    ['readTrace', { name: 'a.csv', source: SORT, options: { cores: 'two' } }, 'usage'],
    ['readTrace', { name: 'a.csv', source: SORT, options: { format: 'excel' } }, 'usage'],
    ['readTrace', { name: 'a.csv', source: SORT, options: { step_seconds: -1 } }, 'usage'],
    ['readTrace', { name: 'a.csv', source: SORT, options: { mapping: { columns: [['a', { role: 'x' }]] } } }, 'usage'],
    ['readTrace', { name: 'a.csv', source: '' }, 'empty'],
    ['readTrace', { name: 'a.csv', source: { url: 'nowhere.csv' } }, 'fetch'],
    ['readAgain', { handle: 99 }, 'no-such-trace'],
    ['crop', { handle: a.handle, from_seconds: 5, to_seconds: 5 }, 'usage'],
    ['crop', { handle: a.handle, from_seconds: 5 }, 'usage'],
    ['crop', { handle: 99, from_seconds: 5, to_seconds: 9 }, 'no-such-trace'],
    ['overview', { handle: a.handle, points: 0 }, 'usage'],
    ['overview', { handle: 99 }, 'no-such-trace'],
    ['forecast', {}, 'usage'],
    ['forecast', { jobs: [] }, 'forecast'],
    ['forecast', { jobs, model: 'oracle' }, 'no-such-model'],
    ['forecast', { jobs, model: 7 }, 'usage'],
    ['card', { model: 'oracle' }, 'no-such-model'],
    ['loadModel', {}, 'usage'],
    ['loadModel', { model: 'nowhere.cotrace' }, 'fetch'],
    ['loadModel', { model: '../index.html' }, 'model'],
    ['forecast', { jobs: [{ handle: 99 }, { handle: b.handle }] }, 'no-such-trace'],
    ['forecast', { jobs: [null, null] }, 'no-such-trace'],
    ['forecast', { jobs: [{ handle: a.handle }, { handle: b.handle, offset_seconds: 'soon' }] }, 'usage'],
    ['forecast', { jobs: [{ handle: a.handle }, { handle: b.handle, offset_seconds: -1 }] }, 'forecast'],
    ['forecast', { jobs, node: { cores: 0 } }, 'usage'],
    ['measure', { handle: a.handle, step_seconds: 0 }, 'usage'],
    ['measure', { handle: a.handle }, 'usage'],
  ]
  const misread = []
  for (const [call, args, kind] of wrong) {
    const answer = await ask(call, args)
    const told = answer.ok ? 'it worked' : answer.error.kind
    const fields = ['file', 'line', 'byte', 'column', 'hint', 'choices', 'tried', 'guess', 'handle']
    const complete = answer.ok || fields.every((field) => field in answer.error)
    if (told !== kind || !complete) misread.push(`${call} ${JSON.stringify(args).slice(0, 80)}: ${told}, not ${kind}`)
    assert.deepEqual(await value(ask('forecast', { jobs })), good, `after ${call}`)
  }
  assert.deepEqual(misread, [])

  assert.equal(await value(ask('free', { handle: a.handle })), true)
  assert.equal(await value(ask('free', { handle: a.handle })), false)
  assert.equal((await ask('forecast', { jobs })).error?.kind, 'no-such-trace')
})

test('several models are called by their names', async () => {
  const { page, ask } = await withWorker()
  const names = async () => (await value(ask('models'))).map(({ name }) => name)
  await value(ask('init'))
  const [a, b] = await readBoth(ask)
  const jobs = [{ handle: a.handle }, { handle: b.handle }]
  const first = await value(ask('forecast', { jobs }))
  assert.equal(first.model.name, 'cotrace')
  assert.equal((await ask('forecast', { jobs, model: 'resourcenet' })).error?.kind, 'no-such-model', 'not loaded yet')

  const loaded = await value(ask('loadModel', { model: '../models/resourcenet.cotrace' }))
  assert.deepEqual([loaded.name, loaded.data], ['resourcenet', 'co-runs'])
  assert.ok(loaded.unseen_jobs_slowdown_points > 0)
  assert.deepEqual(await names(), ['cotrace', 'resourcenet'])
  const other = await value(ask('forecast', { jobs, model: 'resourcenet' }))
  assert.equal(other.model.name, 'resourcenet')
  assert.notEqual(other.jobs[0].slowdown, first.jobs[0].slowdown)
  assert.deepEqual(await value(ask('forecast', { jobs })), first, 'the first one is still meant where none is named')
  assert.equal((await value(ask('card', { model: 'resourcenet' }))).data, 'co-runs')

  // What only one of them can do, the other says.
  const [one, three] = [jobs.slice(0, 1), [...jobs, { handle: a.handle, offset_seconds: 5 }]]
  for (const some of [one, three]) {
    assert.equal((await value(ask('forecast', { jobs: some }))).jobs.length, some.length)
    const { error } = await ask('forecast', { jobs: some, model: 'resourcenet' })
    assert.match(error?.message ?? '', /resourcenet.*two jobs/)
    assert.match(error?.hint ?? '', /cotrace/)
  }
  assert.equal((await ask('loadModel', { model: 'nowhere.cotrace' })).error?.file, 'nowhere.cotrace')
  assert.deepEqual(await names(), ['cotrace', 'resourcenet'], 'what was loaded stays')
  await page.close()
})

test('a model that takes long to fetch holds up nobody', async () => {
  let arrive
  const arrives = new Promise((resolve) => (arrive = resolve))
  const { page, ask } = await withWorker((page) =>
    page.context().route(/models\/resourcenet\.cotrace$/, async (route) => {
      await arrives
      await route.continue()
    }),
  )
  await value(ask('init'))
  let isThere = false
  const loading = ask('loadModel', { model: '../models/resourcenet.cotrace' }).then((answer) => {
    isThere = true
    return answer
  })
  const [a, b] = await readBoth(ask)
  await value(ask('forecast', { jobs: [{ handle: a.handle }, { handle: b.handle }] }))
  assert.ok(!isThere)
  arrive()
  assert.equal((await value(loading)).name, 'resourcenet')
  await page.close()
})

test('formats are told, and one can be forced', async () => {
  const { page, ask } = await withWorker()
  await value(ask('init'))
  const formats = await value(ask('formats'))
  assert.ok(formats.some(({ name, title }) => name === 'vmstat' && title === 'vmstat'), JSON.stringify(formats))
  const read = (options) => ask('readTrace', { name: 'vmstat.txt', source: VMSTAT, options })
  const untimed = await value(read({}))
  assert.deepEqual([untimed.format, untimed.step_assumed, untimed.health.step_seconds], ['vmstat', true, 1])
  const timed = await value(read({ format: 'vmstat', step_seconds: 5 }))
  assert.deepEqual([timed.format, timed.step_assumed, timed.health.step_seconds], ['vmstat', false, 5])
  await page.close()
})

test('a file that could not be read is kept for another try', async () => {
  const { page, ask } = await withWorker()
  await value(ask('init'))
  const failed = await ask('readTrace', { name: 'vmstat.txt', source: VMSTAT, options: { format: 'cotrace-json' } })
  assert.equal(failed.ok, false)
  const { handle } = failed.error
  assert.equal((await ask('overview', { handle })).error?.kind, 'no-such-trace')
  assert.equal((await value(ask('readAgain', { handle }))).format, 'vmstat')
  assert.equal(await value(ask('free', { handle })), true)
  assert.equal((await ask('readAgain', { handle })).error?.kind, 'no-such-trace')
  // Nothing would mend that.
  assert.equal((await ask('readTrace', { name: 'a.csv', source: '' })).error?.handle, null)
  await page.close()
})

test('a part is a trace of its own, and an overview is of all of it', async () => {
  const { page, ask } = await withWorker()
  await value(ask('init'))
  const whole = await value(ask('readTrace', { name: 'sort.csv', source: SORT }))
  const part = await value(ask('crop', { handle: whole.handle, from_seconds: 10, to_seconds: 40 }))
  assert.deepEqual([part.health.duration_seconds, whole.health.duration_seconds], [30, 60])
  const overview = await value(ask('overview', { handle: part.handle, points: 10 }))
  assert.deepEqual([overview.step_seconds, overview.metrics.cpu_cores.length], [3, 10])
  assert.equal(await value(ask('free', { handle: whole.handle })), true)
  assert.equal((await value(ask('measure', { handle: part.handle, step_seconds: 5 }))).metrics.cpu_cores.length, 6)
  // Read again, it is the whole file.
  assert.equal((await value(ask('readAgain', { handle: part.handle }))).health.duration_seconds, 60)
  await page.close()
})

test('a forecaster that breaks down is replaced, and traces are still there', async () => {
  const { page, ask } = await withWorker(async (page) => {
    // The first module's forecasts trap; the module that replaces it is left as it is.
    await page.context().route(/pkg\/cotrace\.js$/, async (route) => {
      const response = await route.fetch()
      const trap = 'Cotrace.prototype.forecast = () => { throw new WebAssembly.RuntimeError("unreachable") }'
      await route.fulfill({ response, body: `${await response.text()}\n${trap}\n` })
    })
  })
  await value(ask('init'))
  await value(ask('loadModel', { model: '../models/resourcenet.cotrace' }))
  const [whole, b] = await readBoth(ask)
  const a = await value(ask('crop', { handle: whole.handle, from_seconds: 10, to_seconds: 40 }))
  const jobs = [{ handle: a.handle }, { handle: b.handle }]
  const broken = await ask('forecast', { jobs })
  assert.equal(broken.error?.kind, 'internal')
  const forecast = await value(ask('forecast', { jobs }))
  assert.deepEqual(
    forecast.jobs.map(({ solo_seconds }) => Math.round(solo_seconds)),
    [30, 45],
  )
  assert.equal((await value(ask('forecast', { jobs, model: 'resourcenet' }))).model.name, 'resourcenet')
  assert.equal((await value(ask('measure', { handle: b.handle, step_seconds: 5 }))).jobs[0].name, 'scan')
  await page.close()
})
