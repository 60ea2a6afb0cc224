// The page without a network: web/js/sw.js keeps all its files.

/**
 * Lets the browser keep the page's files, once the page itself is there. Calls `ready` when a newer version of the page
 * lies ready; what `ready` is given changes over to it.
 */
export async function keepOffline(ready) {
  // Pages opened from a file, and old browsers, go without.
  if (!('serviceWorker' in navigator) || !location.protocol.startsWith('http')) return
  if (document.readyState !== 'complete') {
    await new Promise((resolve) => addEventListener('load', resolve, { once: true }))
  }
  const registration = await navigator.serviceWorker.register('sw.js').catch(() => null)
  if (!registration) return

  const tell = () => ready(() => change(registration.waiting))
  const follow = (worker) => {
    worker?.addEventListener('statechange', () => {
      // The very first one replaces nothing.
      if (worker.state === 'installed' && navigator.serviceWorker.controller !== null) tell()
    })
  }
  if (registration.waiting !== null && navigator.serviceWorker.controller !== null) tell()
  follow(registration.installing)
  registration.addEventListener('updatefound', () => follow(registration.installing))
}

function change(waiting) {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
  waiting?.postMessage('change')
}
