// The part of bench/viewer.ts that runs in a page with the viewer.
import { createViewer } from '../../src/viewer/index.js';
import { readPreview } from '../../src/viewer/preview/read-preview.js';

/** Waits until the GPU has completed what was drawn. */
function finish(canvas: HTMLCanvasElement): void {
  const gl = canvas.getContext('webgl2');
  gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
}

/** Resolves after the next frame of the viewer, with its quality. */
function nextFrame(canvas: HTMLCanvasElement): Promise<string> {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      finish(canvas);
      resolve(canvas.dataset.detail ?? '');
    });
    observer.observe(canvas, { attributeFilter: ['data-detail'] });
  });
}

/** Shows a preview. Returns times in ms: to the first frame, to all details, of `count` moving frames, and after them. */
export async function measureViewer(preview: Uint8Array, count: number) {
  const host = document.body.appendChild(document.createElement('div'));
  host.className = 'host';
  const start = performance.now();
  createViewer(host).show({ preview });
  const canvas = host.firstElementChild?.shadowRoot?.querySelector('canvas');
  if (!canvas) throw new Error('The viewer has no picture.');
  await nextFrame(canvas);
  const firstMs = performance.now() - start;
  while ((await nextFrame(canvas)) !== 'full');
  const fullMs = performance.now() - start;
  const frames: number[] = [];
  canvas.focus();
  for (let i = 0; i < count; i++) {
    const key = new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true });
    const next = nextFrame(canvas);
    let frameStart = 0;
    // Runs just before the frame of the viewer, which is requested after it.
    requestAnimationFrame(() => {
      frameStart = performance.now();
    });
    canvas.dispatchEvent(key);
    await next;
    frames.push(performance.now() - frameStart);
  }
  const restStart = performance.now();
  while ((await nextFrame(canvas)) !== 'full');
  const restMs = performance.now() - restStart;
  const decodeStart = performance.now();
  readPreview(preview);
  return { firstMs, fullMs, frames, restMs, decodeMs: performance.now() - decodeStart };
}
