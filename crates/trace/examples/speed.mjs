// The same as speed.rs natively, in WebAssembly: `node speed.mjs <what wasm-bindgen made of speed.rs>`.

import { createRequire } from "node:module";
import { resolve } from "node:path";

const { File, formats } = createRequire(import.meta.url)(resolve(process.argv[2]));

for (const format of formats().split(",")) {
  const file = File.of(format);
  if (!file) continue;
  const seconds = Array.from({ length: 15 }, () => {
    const start = performance.now();
    file.read();
    return (performance.now() - start) / 1000;
  }).sort((a, b) => a - b);
  console.log(format, file.bytes(), seconds[seconds.length >> 1]);
}
