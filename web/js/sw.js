// Keeps the page's files, so that it works without a network. All files of a page are of one version: a newer version
// is fetched whole beside it, and takes over when the person says so or no page is open any more.
//
// `cargo xtask build` writes the version and the names of the files into the copy in dist/.

const VERSION = '{{version}}'
const FILES = ['{{files}}']

const NAME = `cotrace ${new URL(registration.scope).pathname} `
const HERE = NAME + VERSION

addEventListener('install', (event) => {
  // The browser's own cache may hold files of the version before: it is to ask.
  const fresh = FILES.map((file) => new Request(file, { cache: 'no-cache' }))
  event.waitUntil(caches.open(HERE).then((cache) => cache.addAll(fresh)))
})

addEventListener('activate', (event) => {
  event.waitUntil(forgetOthers().then(() => clients.claim()))
})

addEventListener('message', (event) => {
  if (event.data === 'change') skipWaiting()
})

addEventListener('fetch', (event) => {
  const url = new URL(event.request.url)
  if (event.request.method !== 'GET' || url.origin !== location.origin) return
  event.respondWith(kept(event.request).then((answer) => answer ?? fetch(event.request)))
})

async function kept(request) {
  const cache = await caches.open(HERE)
  return cache.match(request, { ignoreSearch: request.mode === 'navigate' })
}

async function forgetOthers() {
  const names = await caches.keys()
  const others = names.filter((name) => name.startsWith(NAME) && name !== HERE)
  await Promise.all(others.map((name) => caches.delete(name)))
}
