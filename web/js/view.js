// Which part of the time all charts show, and the gestures and keys that change it.

/** No closer than so many steps of the forecast. */
const FEWEST_STEPS = 4
/** A shorter drag is a click. */
const SHORTEST_DRAG = 6
const CLOSER = 0.7

/** The part on show, in seconds; null: all of it. */
let view = null

/** What to call when the part changes. */
const watchers = new Set()

/** Calls `watcher` whenever another part is on show. Returns how to stop that. */
export function watchView(watcher) {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** From where to where a chart that ends at `end` is to be drawn. */
export function shown(end) {
  if (view === null || view[0] >= end) return [0, end]
  return [view[0], Math.min(view[1], end)]
}

export function isZoomed() {
  return view !== null
}

export function showAll() {
  if (view === null) return
  view = null
  tell()
}

/** Shows `from` to `to` of a chart's time, or as much of that as there is. */
export function show(from, to, chart) {
  const least = FEWEST_STEPS * step(chart)
  const width = Math.min(Math.max(to - from, least), chart.end_seconds)
  const middle = (from + to) / 2
  const start = Math.min(Math.max(middle - width / 2, 0), chart.end_seconds - width)
  view = width >= chart.end_seconds * 0.999 ? null : [start, start + width]
  tell()
}

function step({ time, end_seconds }) {
  return time.length > 1 ? time[1] - time[0] : end_seconds
}

function tell() {
  for (const watcher of watchers) watcher()
}

/** Makes what is on show `factor` times as long, so that `at` stays where it is. */
function scale(chart, at, factor) {
  const [from, to] = shown(chart.end_seconds)
  show(at - (at - from) * factor, at + (to - at) * factor, chart)
}

/** Moves what is on show. */
function move(chart, seconds) {
  const [from, to] = shown(chart.end_seconds)
  if (view !== null) show(from + seconds, to + seconds, chart)
}

/** Lets a chart be zoomed and moved by mouse, wheel and fingers. `handle`: of charts.js. */
export function followPointers(handle) {
  const { over } = handle.plot
  const place = (event) => event.clientX - over.getBoundingClientRect().left
  const at = (pixels) => handle.plot.posToVal(pixels, 'x')
  const fingers = new Map()
  let start = null

  const select = (left, width) => {
    handle.plot.setSelect({ left, top: 0, width, height: over.clientHeight }, false)
  }
  over.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    if (event.pointerType === 'mouse') start = { x: place(event), moves: event.shiftKey }
    else fingers.set(event.pointerId, place(event))
    over.setPointerCapture(event.pointerId)
  })
  over.addEventListener('pointermove', (event) => {
    const x = place(event)
    if (fingers.has(event.pointerId)) return followFingers(event.pointerId, x)
    if (start === null) return
    if (start.moves) {
      move(handle.chart, at(start.x) - at(x))
      start.x = x
    } else {
      select(Math.min(start.x, x), Math.abs(x - start.x))
    }
  })
  over.addEventListener('pointerup', (event) => {
    const began = start
    forget(event)
    if (began === null || began.moves) return
    const [left, right] = [began.x, place(event)].sort((a, b) => a - b)
    if (right - left >= SHORTEST_DRAG) show(at(left), at(right), handle.chart)
  })
  over.addEventListener('pointercancel', forget)
  over.addEventListener('dblclick', showAll)
  const wheel = (event) => {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX
    if (event.ctrlKey || event.metaKey) {
      scale(handle.chart, at(place(event)), event.deltaY < 0 ? CLOSER : 1 / CLOSER)
    } else if (isZoomed() && sideways !== 0) {
      move(handle.chart, at(sideways) - at(0))
    } else {
      return
    }
    event.preventDefault()
  }
  over.addEventListener('wheel', wheel, { passive: false })

  function forget(event) {
    fingers.delete(event.pointerId)
    start = null
    select(0, 0)
  }

  /** One finger moves what is on show, two stretch it. */
  function followFingers(id, x) {
    const before = fingers.get(id)
    const other = [...fingers.entries()].find(([finger]) => finger !== id)?.[1]
    fingers.set(id, x)
    if (other === undefined) {
      move(handle.chart, at(before) - at(x))
    } else if (Math.abs(x - other) > 1) {
      scale(handle.chart, at(other), Math.abs(before - other) / Math.abs(x - other))
    }
  }
}

/** What a key does on a chart. `point`: the index of the value that is read, or null; `read(index)` reads another. */
export function followKey(event, chart, point, read) {
  const [from, to] = shown(chart.end_seconds)
  const last = chart.time.length - 1
  const first = Math.max(chart.time.findIndex((time) => time >= from), 0)
  const middle = point === null ? (from + to) / 2 : chart.time[point]
  const by = (steps) => read(Math.min(Math.max((point ?? first - Math.sign(steps)) + steps, 0), last))
  const far = event.shiftKey ? 10 : 1
  const keys = {
    ArrowLeft: () => by(-far),
    ArrowRight: () => by(far),
    Home: () => read(0),
    End: () => read(last),
    '+': () => scale(chart, middle, CLOSER),
    '=': () => scale(chart, middle, CLOSER),
    '-': () => scale(chart, middle, 1 / CLOSER),
    '−': () => scale(chart, middle, 1 / CLOSER),
    0: showAll,
    Escape: () => read(null),
  }
  if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return
  keys[event.key]()
  event.preventDefault()
}
