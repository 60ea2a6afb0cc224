// What all plots share: the marks of their axes, how numbers and times are written, and the colours.

export const TIME_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800,
]
/** Halves and doubles: the marks of an axis in MiB or GiB. */
export const BINARY_STEPS = Array.from({ length: 40 }, (_, power) => 2 ** (power - 20))

/** What was looked up already under this theme: a look-up has the browser work out all styles first. */
const colours = new Map()

/** A colour of the style sheet, as of the theme of now. */
export function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim())
  return colours.get(name)
}

/** What is the same for every axis. */
export function axis() {
  return {
    font: '11px system-ui, sans-serif',
    stroke: () => colour('--muted'),
    grid: { stroke: () => colour('--grid'), width: 1 },
    ticks: { show: false },
  }
}

export function clock(seconds) {
  const whole = Math.round(seconds)
  const two = (value) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** With as many decimals as three significant digits of the axis have: `0.003` of 2 cores is `0`. */
export function digits(value, top) {
  if (value === null || value === undefined) return 'unknown'
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(top)), 0), 20)
  return String(Number(value.toFixed(decimals)))
}

export function short(value) {
  return String(Number(value.toPrecision(6)))
}

export function largest(values) {
  const known = values.filter((value) => value !== null && value !== undefined)
  return known.length > 0 ? Math.max(...known) : null
}

/** Calls `redraw` when the theme changes: canvases do not follow style sheets by themselves. */
export function onTheme(redraw) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ['data-theme'] })
}

// The first to hear of it: who draws anew then asks for colours.
onTheme(() => colours.clear())
