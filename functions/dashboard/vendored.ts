/** Package files that the browser loads, by the name under which bundle.ts copies them to `assets`. */
export const vendored = {
  'htmx.js': 'htmx.org/dist/htmx.esm.min.js',
  'pico.css': '@picocss/pico/css/pico.min.css',
  'pdf.js': 'pdfjs-dist/legacy/build/pdf.min.mjs',
  'pdf-worker.js': 'pdfjs-dist/legacy/build/pdf.worker.min.mjs',
  // The worker imports its decoder of scans by this name. The WebAssembly decoder would need a wider policy.
  'openjpeg_nowasm_fallback.js': 'pdfjs-dist/wasm/openjpeg_nowasm_fallback.js',
} as const
