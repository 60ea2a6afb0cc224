// Draws one trace over time with uPlot: small plots one below the other, with one cursor and one selection. The page
// says what to draw (web/src/charts/solo.rs).

import uPlot from 'uplot'

import { BINARY_STEPS, TIME_STEPS, axis, clock, colour, digits, largest, onTheme, short } from './common.js'

const HEIGHT = 64
/** The last plot has the time axis below it. */
const AXIS_HEIGHT = 24
/** A shorter drag is a click: it takes the selection away. */
const SHORTEST_DRAG = 4

/** Every trace on the page. */
const solos = new Set()

/**
 * Draws `solo` into `host`. `onSelect(from, to)` is told what is chosen by dragging, in seconds; `null, null` for
 * nothing. Returns a handle for the other two.
 */
export function createSolo(host, solo, onSelect) {
  const handle = { host, solo, onSelect, parts: [] }
  build(handle)
  handle.resize = new ResizeObserver(() => fit(handle))
  handle.resize.observe(host)
  solos.add(handle)
  return handle
}

/** Draws another `solo` in the same place. */
export function updateSolo(handle, solo) {
  const before = handle.solo
  handle.solo = solo
  if (JSON.stringify([before.time, before.panels]) === JSON.stringify([solo.time, solo.panels])) {
    select(handle)
    for (const { plot } of handle.parts) plot.redraw(false)
  } else {
    clear(handle)
    build(handle)
  }
}

/** Takes the drawing away. */
export function destroySolo(handle) {
  solos.delete(handle)
  handle.resize.disconnect()
  clear(handle)
}

function clear(handle) {
  for (const { plot, caption } of handle.parts) {
    plot.destroy()
    caption.remove()
  }
  handle.parts = []
}

function build(handle) {
  const { solo, host } = handle
  const sync = uPlot.sync(`cotrace-solo-${solo.job}`)
  solo.panels.forEach((panel, index) => {
    const isLast = index === solo.panels.length - 1
    const caption = document.createElement('p')
    caption.className = 'solo-caption'
    caption.setAttribute('aria-hidden', 'true')
    host.append(caption)
    const part = { panel, caption, height: HEIGHT + (isLast ? AXIS_HEIGHT : 0), plot: null }
    handle.parts.push(part)
    const options = {
      width: width(host),
      height: part.height,
      legend: { show: false },
      padding: [6, 14, isLast ? 0 : 4, 0],
      scales: {
        x: { time: false, range: () => [0, handle.solo.end_seconds] },
        y: { range: () => [0, panel.top] },
      },
      axes: [
        isLast
          ? { ...axis(), size: AXIS_HEIGHT, space: 48, incrs: TIME_STEPS, values: (_, splits) => splits.map(clock) }
          : { ...axis(), size: 0, incrs: TIME_STEPS, values: () => [] },
        {
          ...axis(),
          size: 38,
          gap: 4,
          space: 22,
          values: (_, splits) => splits.map(short),
          ...(panel.binary ? { incrs: BINARY_STEPS } : {}),
        },
      ],
      series: [
        {},
        {
          stroke: () => colour(`--job-${solo.job}`),
          fill: () => colour(`--job-${solo.job}-fill`),
          width: 1,
          points: { show: false },
        },
      ],
      cursor: {
        sync: { key: sync.key, scales: ['x', null], setSeries: false },
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        y: false,
      },
      hooks: {
        draw: [(plot) => drawStretches(plot, handle.solo)],
        setCursor: [() => write(part, solo)],
        // All plots say it, each for itself: the page hears the same several times.
        setSelect: [({ select: { left, width } }) => chosen(handle, left, left + width)],
      },
    }
    part.plot = new uPlot(options, [solo.time, panel.values], host)
    followFinger(handle, part.plot)
    write(part, solo)
  })
  select(handle)
}

/** Tells the page what was chosen, from one place on a plot to another, in pixels. */
function chosen(handle, one, other) {
  const [left, right] = one < other ? [one, other] : [other, one]
  if (right - left < SHORTEST_DRAG) {
    handle.onSelect(null, null)
    return
  }
  // All plots have the same time axis.
  const { plot } = handle.parts[0]
  const at = (pixels) => Math.min(Math.max(plot.posToVal(pixels, 'x'), 0), handle.solo.end_seconds)
  handle.onSelect(at(left), at(right))
}

/** uPlot knows mice only: a finger drawn along the plot chooses too. (Up and down it scrolls, says the style sheet.) */
function followFinger(handle, { over }) {
  const place = (event) => event.clientX - over.getBoundingClientRect().left
  let start = null
  over.addEventListener('pointerdown', (event) => {
    start = event.pointerType === 'mouse' ? null : place(event)
  })
  over.addEventListener('pointermove', (event) => {
    if (start !== null) chosen(handle, start, place(event))
  })
  for (const end of ['pointerup', 'pointercancel']) over.addEventListener(end, () => (start = null))
}

/** Shows the selection that the page has. */
function select(handle) {
  const { selected } = handle.solo
  for (const { plot } of handle.parts) {
    const height = plot.over.clientHeight
    if (selected === null) {
      plot.setSelect({ left: 0, top: 0, width: 0, height }, false)
      continue
    }
    const left = plot.valToPos(selected.from_seconds, 'x')
    const width = plot.valToPos(selected.to_seconds, 'x') - left
    plot.setSelect({ left, top: 0, width, height }, false)
  }
}

/** Pales what is not kept, and marks what is to be shown. */
function drawStretches(plot, { kept, mark }) {
  const { ctx } = plot
  const { left, top, width, height } = plot.bbox
  const x = (seconds) => Math.min(Math.max(plot.valToPos(seconds, 'x', true), left), left + width)
  ctx.save()
  if (kept !== null) {
    ctx.globalAlpha = 0.75
    ctx.fillStyle = colour('--surface')
    ctx.fillRect(left, top, x(kept.from_seconds) - left, height)
    ctx.fillRect(x(kept.to_seconds), top, left + width - x(kept.to_seconds), height)
    ctx.globalAlpha = 1
  }
  if (mark !== null) {
    const from = x(mark.from_seconds)
    // A single sample is a line; it still must be seen.
    const wide = Math.max(x(mark.to_seconds) - from, 2 * devicePixelRatio)
    ctx.fillStyle = colour('--mark')
    ctx.fillRect(from, top, wide, height)
    ctx.strokeStyle = colour('--ink')
    ctx.lineWidth = devicePixelRatio
    ctx.strokeRect(from, top, wide, height)
  }
  ctx.restore()
}

/** Says in words what is under the cursor; without one, what the plot shows at most. */
function write({ panel, caption, plot }, solo) {
  const index = plot?.cursor?.idx
  const inside = index !== null && index !== undefined && plot.cursor.left >= 0
  const peak = largest(panel.values)
  const told = inside
    ? `${clock(solo.time[index])}  ${digits(panel.values[index], panel.top)}`
    : peak === null
      ? 'unknown'
      : `at most ${digits(peak, panel.top)}`
  caption.textContent = `${panel.title}, ${panel.unit}: ${told}`
}

function width(host) {
  return Math.max(host.clientWidth, 120)
}

function fit(handle) {
  const wanted = width(handle.host)
  for (const { plot, height } of handle.parts) {
    if (plot.width !== wanted) plot.setSize({ width: wanted, height })
  }
  select(handle)
}

onTheme(() => {
  for (const { parts } of solos) for (const { plot } of parts) plot.redraw(false)
})
