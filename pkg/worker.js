// Cotrace in a Web Worker: reading traces and forecasting, off the page's thread.
//
//   const worker = new Worker("pkg/worker.js", { type: "module" });
//   worker.postMessage({ id: 1, call: "init", args: { model: "https://…/cotrace.cotrace" } });
//   worker.onmessage = ({ data }) => data;  // { id: 1, ok: true, value: { name: "cotrace", version: "1", … } }
//
// Calls are answered in the order in which they come (only loadModel waits for what it fetches), each with { id, ok: true, value } or { id, ok: false, error };
// an error is { kind, message, file, line, column, hint, … }. A call after an error works: where the WebAssembly itself
// broke down, a fresh one takes its place and reads the traces it needs again. README.md lists the calls.

/** The models by what they are called, as `{ called, bytes }`; the first is meant where none is named. */
const models = new Map()
/** The forecaster; null before the first call and after it broke down. */
let engine = null
/** How many forecasters there have been: each needs a module of its own. */
let generation = 0
/**
 * Every trace that was read and not freed, by handle: `{ name, bytes, options, cuts, inner, generation }`, with `cuts`
 * the stretches it was cropped to, one after the other. A file that can't be read has no `inner`.
 */
const traces = new Map()
let lastHandle = 0

/** What is wrong with a file in such a way that other options may mend it. Anything else is not worth keeping it for. */
const HOPELESS = ['usage', 'internal', 'empty', 'too-large', 'binary']

const calls = {
  /** Loads the model that is meant where none is named: an address or its bytes. Any others are forgotten. */
  async init({ model = new URL('../models/cotrace.cotrace', import.meta.url).href } = {}) {
    models.clear()
    engine = null
    return addModel(model)
  },

  /**
   * Loads a model, to be `called` so, or by its own name; the first one is meant where none is named: an address, its
   * bytes, or a file. What was loaded before stays usable meanwhile, and if it fails.
   */
  async loadModel({ model, called = null }) {
    return addModel(model, called)
  },

  /** What is loaded. */
  async models() {
    return (await running()).models()
  },

  /** What a model was trained on, how, and how well it does. */
  async card({ model = null }) {
    return (await running()).card(model)
  },

  /** The formats that can be read. */
  async formats() {
    await running()
    return Cotrace.formats()
  },

  /** Reads a trace from a file, bytes, text, or `{ url }`. */
  async readTrace({ name, source, options = null }) {
    return keep(name, await bytesOf(source, name), options)
  },

  /**
   * Reads the same content once more, for example with `{ cores: 4 }`: that of a trace, or of an error with a `handle`.
   * What had the handle stays until it is freed.
   */
  async readAgain({ handle, options = null }) {
    const { name, bytes } = entry(handle)
    return keep(name, bytes, options)
  },

  /** A part of a trace, as a trace of its own. The whole stays until it is freed. */
  async crop({ handle, from_seconds, to_seconds }) {
    const cotrace = await running()
    const { handle: inner, ...info } = cotrace.crop(innerHandle(cotrace, handle), from_seconds, to_seconds)
    const { name, bytes, options, cuts } = entry(handle)
    return { ...info, handle: add({ name, bytes, options, cuts: [...cuts, [from_seconds, to_seconds]], inner, generation }) }
  },

  /** A trace in at most `points` points, to plot it. */
  async overview({ handle, points = 400 }) {
    const cotrace = await running()
    return cotrace.overview(innerHandle(cotrace, handle), points)
  },

  /** Forecasts `[{ handle, name, offset_seconds }, …]` by a loaded model; `node` overrides what the traces say. */
  async forecast({ jobs, node = null, model = null }) {
    if (!Array.isArray(jobs)) throw problem('usage', 'jobs must be an array.')
    const cotrace = await running()
    const inner = jobs.map((job) => ({ ...job, handle: innerHandle(cotrace, job?.handle) }))
    return cotrace.forecast(inner, node, model)
  },

  /** When jobs end for each start of job `moved` (from 0): an array for each start, of finish times. */
  async finishes({ jobs, moved, offsets_seconds, node = null, model = null }) {
    if (!Array.isArray(jobs)) throw problem('usage', 'jobs must be an array.')
    const cotrace = await running()
    const inner = jobs.map((job) => ({ ...job, handle: innerHandle(cotrace, job?.handle) }))
    return cotrace.finishes(inner, moved, offsets_seconds, node, model)
  },

  /** A trace as canonical CSV; with `rows`, in at most so many rows. */
  async writeTrace({ handle, rows = null }) {
    const cotrace = await running()
    return cotrace.writeTrace(innerHandle(cotrace, handle), rows)
  },

  /** A trace's metrics on an even grid, from its first job's start. */
  async measure({ handle, step_seconds }) {
    const cotrace = await running()
    return cotrace.measure(innerHandle(cotrace, handle), step_seconds)
  },

  /** Forgets a trace, or the content that an error's `handle` stands for. Returns whether there was one. */
  async free({ handle }) {
    const trace = traces.get(handle)
    if (trace !== undefined && trace.inner !== null && engine !== null && trace.generation === generation) engine.freeTrace(trace.inner)
    return traces.delete(handle)
  },
}

/** The class of the forecaster in use; null before the first. */
let Cotrace = null

/** The forecaster, started if there is none. Traces can be read before there is a model. */
async function running() {
  if (engine !== null) return engine
  generation += 1
  // A module that broke down can't be started again. Under another address it is another module.
  const module = await import(generation === 1 ? './cotrace.js' : `./cotrace.js?${generation}`)
  await module.default()
  Cotrace = module.Cotrace
  const cotrace = new Cotrace()
  for (const { called, bytes } of models.values()) cotrace.loadModel(bytes, called)
  engine = cotrace
  return engine
}

/** Adds a model, given as an address, bytes, or what `fetchedAside` made of an address. */
async function addModel(model, called = null) {
  const { bytes, file } = typeof model === 'string' ? await fetchedModel(model) : (model?.aside ?? (await givenModel(model)))
  if (!(bytes instanceof Uint8Array || bytes instanceof ArrayBuffer)) {
    throw problem('usage', 'model must be an address, a Uint8Array or an ArrayBuffer.')
  }
  const weights = new Uint8Array(bytes)
  const cotrace = await running()
  try {
    const info = cotrace.loadModel(weights, called)
    models.set(called ?? info.name, { called, bytes: weights })
    return info
  } catch (error) {
    throw isOurs(error) ? { ...error, file } : error
  }
}

/** A model given as a file or as bytes. */
async function givenModel(model) {
  if (!(model instanceof Blob)) return { bytes: model, file: null }
  await checkSize(model.size, model.name)
  return { bytes: await model.arrayBuffer(), file: model.name ?? null }
}

/** A model file's bytes, and what it is called in errors. */
async function fetchedModel(url) {
  const file = url.split(/[?#]/)[0].split('/').pop() || url
  return { bytes: await fetched(url, file), file }
}

/** The arguments of a call with what it would have to fetch: that may take long, and must not hold up other calls. */
async function fetchedAside(call, args) {
  if (call !== 'loadModel' || typeof args?.model !== 'string') return args
  return { ...args, model: { aside: await fetchedModel(args.model) } }
}

async function keep(name, bytes, options) {
  const cotrace = await running()
  const content = { name, bytes, options, cuts: [], generation }
  try {
    const { handle: inner, ...info } = cotrace.readTrace(name, bytes, options)
    return { ...info, handle: add({ ...content, inner }) }
  } catch (error) {
    if (!isOurs(error) || HOPELESS.includes(error.kind)) throw error
    // With another format, or one of the choices, it may be readable.
    throw { ...error, handle: add({ ...content, inner: null }) }
  }
}

function add(trace) {
  lastHandle += 1
  traces.set(lastHandle, trace)
  return lastHandle
}

function entry(handle) {
  const trace = traces.get(handle)
  if (trace === undefined) throw problem('no-such-trace', `There is no trace ${handle}: it was freed, or never read.`)
  return trace
}

/** What the running forecaster calls the trace; one that came after a breakdown has to read it first. */
function innerHandle(cotrace, handle) {
  const trace = entry(handle)
  if (trace.inner === null) throw problem('no-such-trace', `There is no trace ${handle}: its file could not be read.`)
  if (trace.generation !== generation) {
    let inner = cotrace.readTrace(trace.name, trace.bytes, trace.options).handle
    for (const [from, to] of trace.cuts) {
      const whole = inner
      inner = cotrace.crop(whole, from, to).handle
      cotrace.freeTrace(whole)
    }
    Object.assign(trace, { inner, generation })
  }
  return trace.inner
}

async function bytesOf(source, name) {
  if (typeof source === 'string') return new TextEncoder().encode(source)
  if (source instanceof Uint8Array) return source
  if (source instanceof ArrayBuffer) return new Uint8Array(source)
  if (source instanceof Blob) {
    await checkSize(source.size, name)
    try {
      return new Uint8Array(await source.arrayBuffer())
    } catch (error) {
      const hint = 'If it is a folder, give the file in it. If it has changed since it was chosen, choose it again.'
      throw { ...problem('unreadable', `The browser can't read it: ${words(error)}`), file: name, hint }
    }
  }
  if (typeof source?.url === 'string') return fetched(source.url, name)
  throw problem('usage', 'source must be a File, a Uint8Array, an ArrayBuffer, a string, or { url }.')
}

/** Refuses what is too large before it is in memory. What is packed may still be too large unpacked. */
async function checkSize(size, name) {
  await running()
  const limit = Cotrace.maxBytes()
  if (size <= limit) return
  const mebibytes = (bytes) => `${Number((bytes / 2 ** 20).toPrecision(3))} MiB`
  const hint = 'Cut it to the run, or sample less often.'
  throw { ...problem('too-large', `It has ${mebibytes(size)}; at most ${mebibytes(limit)} are read.`), file: name, hint }
}

async function fetched(url, name) {
  const failed = (why) => ({ ...problem('fetch', `It can't be fetched: ${why}`), file: name })
  const response = await fetch(url).catch((error) => {
    throw failed(words(error))
  })
  if (!response.ok) throw failed(`status ${response.status}.`)
  return new Uint8Array(await response.arrayBuffer())
}

function problem(kind, message) {
  const place = { file: null, line: null, byte: null, column: null }
  return { kind, message, ...place, hint: null, choices: [], tried: [], guess: null, handle: null }
}

/** Whether it was thrown on purpose: a trap, a stack that ran over, or the like has no kind. */
function isOurs(error) {
  return typeof error?.kind === 'string' && typeof error?.message === 'string'
}

function words(error) {
  return typeof error?.message === 'string' ? error.message : String(error)
}

async function answer({ id, call, args }) {
  try {
    if (!Object.hasOwn(calls, call)) throw problem('usage', `There is no call ${call}.`)
    const value = await calls[call]((await args) ?? {})
    postMessage({ id, ok: true, value })
  } catch (error) {
    // After a trap or a panic the forecaster can't be trusted any more.
    if (!isOurs(error) || error.kind === 'internal') engine = null
    const known = isOurs(error) ? error : problem('internal', words(error))
    postMessage({ id, ok: false, error: { ...problem('', ''), ...known } })
  }
}

let queue = Promise.resolve()
addEventListener('message', ({ data: { id, call, args } }) => {
  const ready = fetchedAside(call, args)
  const turn = () => {
    queue = queue.then(() => answer({ id, call, args: ready }))
  }
  ready.then(turn, turn)
})
