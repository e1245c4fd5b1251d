// The baseline of bench/viewer.ts, in a page: the loader of three, its Lambert material, MSAA, and all triangles in every
// frame.
import { AmbientLight, DirectionalLight, PerspectiveCamera, Scene, WebGLRenderer } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

/** Shows a GLB. Returns the time to the first frame, and the times of `count` frames while the camera orbits, in ms. */
export async function measureBaseline(glb: ArrayBuffer, count: number): Promise<{ firstMs: number; frames: number[] }> {
  const start = performance.now();
  const renderer = new WebGLRenderer({ antialias: true });
  renderer.setSize(900, 600);
  document.body.append(renderer.domElement);
  const scene = new Scene();
  const { scene: model } = await new GLTFLoader().parseAsync(glb, '');
  scene.add(model, new AmbientLight(0xffffff, 1), new DirectionalLight(0xffffff, 2));
  const camera = new PerspectiveCamera(35, 1.5, 0.01, 10);
  const gl = renderer.getContext();
  const draw = (angle: number): void => {
    camera.position.set(0.4 * Math.sin(angle), 0.1, 0.4 * Math.cos(angle));
    camera.lookAt(0, 0, 0);
    renderer.render(scene, camera);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  };
  draw(0);
  const firstMs = performance.now() - start;
  const frames: number[] = [];
  for (let i = 1; i <= count; i++) {
    await new Promise(requestAnimationFrame); // the browser shows each frame, as those of the viewer
    const before = performance.now();
    draw(i * 0.05);
    frames.push(performance.now() - before);
  }
  return { firstMs, frames };
}
