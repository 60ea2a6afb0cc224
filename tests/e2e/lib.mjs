// What the end-to-end tests stand on: a server, a browser, and an eye on what goes wrong in it.
//
//   import { openSite, checkAccessibility } from './lib.mjs'
//   const site = await openSite()                       // once per file, in before()
//   const page = await site.newPage({ width: 390, colorScheme: 'dark' })
//   await page.goto(site.url + '#placement')
//   site.assertNoTrouble(page)                          // no console errors, no requests to anywhere else
//   await site.close()                                  // in after()
//
// `cargo xtask test --only e2e` sets the environment; by hand, `node --test tests/e2e/` works too once
// `cargo xtask build` has run:
//   COTRACE_DIST      the built page (default: dist)
//   COTRACE_CHROMIUM  the browser (default: chromium, then chrome, on the search path)
//   COTRACE_BIN       the cotrace command (default: target/debug/cotrace)
//   COTRACE_XTASK     the repository's own commands (default: `cargo xtask`)

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const dist = process.env.COTRACE_DIST ?? join(root, 'dist')
export const cotrace = process.env.COTRACE_BIN ?? join(root, 'target/debug/cotrace')

// The page must work in a folder of its host, not only at its top.
const BASE = '/some/sub/path/'

// The JavaScript tools live in web/, beside the lock file that names their versions.
const fromWeb = createRequire(join(root, 'web/package.json'))

function load(name) {
  try {
    return fromWeb(name)
  } catch (cause) {
    throw new Error(`${name} is missing: run \`cargo xtask tools\`, or \`npm ci\` in web/`, { cause })
  }
}

/** Where the browser is. */
export function findChromium() {
  if (process.env.COTRACE_CHROMIUM) return process.env.COTRACE_CHROMIUM
  for (const name of ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      if (folder && existsSync(join(folder, name))) return join(folder, name)
    }
  }
  throw new Error('no Chromium found: run `cargo xtask tools`, or set COTRACE_CHROMIUM')
}

/** Serves a folder under a sub-path of a free port. Returns `{ url, close }`. */
export async function serve({ dir = dist, base = BASE, options: more = [] } = {}) {
  const words = process.env.COTRACE_XTASK ? [process.env.COTRACE_XTASK] : ['cargo', 'xtask']
  const options = ['serve', '--no-build', '--port', '0', '--base', base, '--dir', dir, ...more]
  const server = spawn(words[0], [...words.slice(1), ...options], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => server.once('close', resolve))
  const url = await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`the server ended at once (${code}); see what it said above`)))
    createInterface({ input: server.stdout }).on('line', (line) => {
      const found = /http:\S+/.exec(line)
      if (found) resolve(found[0])
    })
  })
  const close = async () => {
    server.kill()
    await ended
  }
  return { url, close }
}

/**
 * Serves the page and starts a browser for it.
 *
 * Returns `{ url, newPage, assertNoTrouble, close }`. Each `newPage({ width, height, colorScheme, reducedMotion })` is
 * a visitor of its own, with nothing stored; a Playwright page, whose `trouble` lists what went wrong so far.
 */
export async function openSite(options = {}) {
  const { chromium } = load('playwright-core')
  const executablePath = findChromium()
  const server = await serve(options)
  const profile = await mkdtemp(join(tmpdir(), 'cotrace-browser-'))
  const stop = async () => {
    await server.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  let browser
  try {
    browser = await chromium.launch({
      executablePath,
      headless: true,
      timeout: 60_000,
      env: { ...process.env, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    })
  } catch (error) {
    await stop()
    throw error
  }

  const contexts = []
  async function newPage({ width = 1280, height = 800, colorScheme = 'light', reducedMotion = 'reduce', serviceWorkers = 'block' } = {}) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      reducedMotion,
      hasTouch: width < 600,
      isMobile: width < 600,
      acceptDownloads: true,
      // What it answers no test sees: only those of the page without a network let it work.
      serviceWorkers,
      // Of a clean visitor: the same everywhere.
      locale: 'en-GB',
      timezoneId: 'UTC',
    })
    contexts.push(context)
    const page = await context.newPage()
    page.trouble = watch(page, context, new URL(server.url).origin)
    return page
  }

  async function close() {
    for (const context of contexts) await context.close()
    await browser.close()
    await stop()
  }
  return { url: server.url, newPage, assertNoTrouble, close }
}

/** Collects errors, failed requests, and requests to any host but the page's own (which are not let through). */
function watch(page, context, origin) {
  const trouble = []
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(`console error: ${message.text()}`)
  })
  page.on('pageerror', (error) => trouble.push(`uncaught: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 400) trouble.push(`status ${response.status()}: ${response.url()}`)
  })
  const outside = (url) => /^(https?|wss?):/.test(url) && new URL(url).origin !== origin
  context.route(
    (url) => outside(url.href),
    (route) => {
      trouble.push(`request to elsewhere: ${route.request().url()}`)
      return route.abort()
    },
  )
  page.on('websocket', (socket) => trouble.push(`web socket: ${socket.url()}`))
  return trouble
}

/** Fails if anything went wrong on the page so far. */
export function assertNoTrouble(page) {
  assert.deepEqual(page.trouble, [], 'errors or outside requests on the page')
}

/** Fails if axe finds anything against WCAG 2.2 AA, or what it calls best practice. `options.exclude`: selectors. */
export async function checkAccessibility(page, { exclude = [] } = {}) {
  const { AxeBuilder } = load('@axe-core/playwright')
  let axe = new AxeBuilder({ page })
  for (const selector of exclude) axe = axe.exclude(selector)
  const { violations } = await axe.analyze()
  const told = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.target).join(', ')}`)
  assert.deepEqual(told, [], 'accessibility')
}

/** Fails if the page is wider than its window, so that it scrolls sideways. */
export async function assertFits(page) {
  const { content, view } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    view: document.documentElement.clientWidth,
  }))
  assert.ok(content <= view, `the page is ${content} px wide in a window of ${view} px`)
}

/** Runs a program and returns `{ code, stdout, stderr }`; for the `cotrace` command: `run(cotrace, ['--help'])`. */
export function run(program, args = [], { cwd = root, env = {}, input = '' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env } })
    const told = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => (told[name] += text))
    }
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...told }))
    // A program that does not read its input is fine.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
