// Text in addresses, in the browser's own storage, in files and on the clipboard.

const STORE = 'kept'

/** Text, compressed, in letters that an address may hold. */
export async function pack(text) {
  const bytes = await through(new Blob([text]), new CompressionStream('deflate-raw'))
  let binary = ''
  // In pieces: a call can't take any number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** What `pack` made, as text again. Stops at `most` bytes: a few letters can stand for any amount. */
export async function unpack(packed, most) {
  const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
  return new TextDecoder().decode(await through(new Blob([bytes]), new DecompressionStream('deflate-raw'), most))
}

async function through(blob, stream, most = Infinity) {
  const reader = blob.stream().pipeThrough(stream).getReader()
  const parts = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > most) {
      await reader.cancel()
      throw new Error(`it would be larger than ${most} bytes`)
    }
    parts.push(value)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The first bytes of a file, as text. */
export async function beginning(file, bytes) {
  return file.slice(0, bytes).text()
}

export async function textOf(file) {
  return file.text()
}

/** Keeps `text` in this browser, in place of what was kept before. */
export function keep(text) {
  return request('readwrite', (store) => store.put(text, STORE))
}

/** What is kept; undefined if nothing is. */
export function kept() {
  return request('readonly', (store) => store.get(STORE))
}

export function forget() {
  return request('readwrite', (store) => store.delete(STORE))
}

function request(mode, ask) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('cotrace', 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const database = opening.result
      const transaction = database.transaction(STORE, mode)
      const asked = ask(transaction.objectStore(STORE))
      transaction.oncomplete = () => {
        database.close()
        resolve(asked.result)
      }
      transaction.onabort = transaction.onerror = () => {
        database.close()
        reject(transaction.error)
      }
    }
  })
}

/** Gives the person a file. */
export function save(name, type, text) {
  saveBlob(name, new Blob([text], { type }))
}

function saveBlob(name, blob) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Gives the person an SVG as a picture of `scale` times its size. */
export async function savePng(name, svg, scale) {
  const image = new Image()
  await new Promise((resolve, reject) => {
    image.onload = resolve
    image.onerror = () => reject(new Error('The picture could not be drawn.'))
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  })
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth * scale
  canvas.height = image.naturalHeight * scale
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob === null) throw new Error('The picture is too large for this browser.')
  saveBlob(name, blob)
}

/** Puts text on the clipboard. */
export async function copy(text) {
  await navigator.clipboard.writeText(text)
}
