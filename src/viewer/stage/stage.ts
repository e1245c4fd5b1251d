import { PerspectiveCamera, Plane, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { DefectPlace } from '../../api/index.js';
import type { Preview } from '../preview/read-preview.js';
import { ModelScene } from '../scene/model-scene.js';
import { computePlacement, EMPTY_PLACEMENT, type Placement, toScene } from '../scene/placement.js';
import { directionOf, FIELD_OF_VIEW, fitDepthRange, fitDistance, orbit, pan, type ViewName, zoom } from './camera.js';
import { watchContext } from './context-watch.js';
import { findFocus } from './focus.js';
import { FrameScheduler, type Quality } from './frame-scheduler.js';
import { clearPlane, type Section, setSectionPlane } from './section.js';

/**
 * Pictures with all details are drawn in twice the resolution and averaged by the browser, up to this many pixels and
 * triangles. With more, that takes too long on a computer without a GPU.
 */
const SMOOTH_PIXEL_RATIO = 2;
const MAX_SMOOTH_PIXELS = 6e6;
const MAX_SMOOTH_TRIANGLES = 50_000;
const FAST_PIXEL_RATIO = 0.5;
const FIT_MARGIN = 1.05;
const CLOSEST = 0.003;
const FARTHEST = 20;

/** Where a model is drawn: from one fraction of the width to another. */
export interface Part {
  model: number;
  from: number;
  to: number;
}

/** What the stage tells the interface. */
export interface StageListeners {
  /** Called after each frame. */
  onFrame: () => void;
  /** Called if the WebGL context is lost for good. */
  onLost: () => void;
}

/**
 * Draws models on a canvas with one camera, on request. The attribute `data-detail` of the canvas is `full` if the last
 * frame has all details and no other one follows, and `moving` during a movement. Throws if WebGL 2 is not available.
 */
export class Stage {
  readonly #canvas: HTMLCanvasElement;
  readonly #renderer: WebGLRenderer;
  readonly #camera = new PerspectiveCamera(FIELD_OF_VIEW);
  readonly #controls: OrbitControls;
  readonly #scheduler = new FrameScheduler((quality, isAtRest) => this.#draw(quality, isAtRest));
  readonly #plane = new Plane();
  readonly #sectionDirection = new Vector3();
  readonly #listeners: StageListeners;
  readonly #endWatch: () => void;
  #models: ModelScene[] = [];
  #placement: Placement = EMPTY_PLACEMENT;
  #parts: readonly Part[] = [];
  #hasWireframe = false;

  constructor(canvas: HTMLCanvasElement, listeners: StageListeners) {
    this.#canvas = canvas;
    this.#listeners = listeners;
    // No MSAA: on a computer without a GPU it takes most of the time of a frame.
    const options = { canvas, antialias: false, alpha: true, stencil: true, powerPreference: 'low-power' } as const;
    this.#renderer = new WebGLRenderer(options);
    this.#renderer.localClippingEnabled = true;
    this.#renderer.autoClear = false;
    this.#camera.up.set(0, 0, 1);
    this.#controls = new OrbitControls(this.#camera, canvas);
    Object.assign(this.#controls, { zoomToCursor: true, minDistance: CLOSEST, maxDistance: FARTHEST });
    this.#controls.addEventListener('change', () => this.#scheduler.requestMoving());
    this.#endWatch = watchContext(canvas, {
      onRestored: () => {
        this.#renderer.setClearColor(0, 0); // three resets it to an opaque color
        this.#scheduler.request();
      },
      onLost: listeners.onLost,
    });
    clearPlane(this.#plane);
  }

  /** Shows these models, and fits them. Releases those that were shown. */
  setModels(previews: readonly Preview[]): void {
    for (const model of this.#models) model.dispose();
    clearPlane(this.#plane);
    this.#placement = computePlacement(previews);
    this.#models = previews.map((preview) => new ModelScene(preview, this.#placement, this.#plane));
    this.showWireframe(this.#hasWireframe);
    this.showView('initial');
  }

  /** Draws what has changed, such as pins. */
  requestFrame(): void {
    this.#scheduler.request();
  }

  /** Sets which model is drawn where. */
  setParts(parts: readonly Part[]): void {
    this.#parts = parts;
    this.#scheduler.request();
  }

  /** Fits the models from a standard direction. */
  showView(name: ViewName): void {
    this.#lookFrom(directionOf(name), new Vector3(), this.#placement.radius * FIT_MARGIN);
  }

  /** Fits the models from the direction of the camera. */
  fit(): void {
    this.#lookFrom(this.#direction(), new Vector3(), this.#placement.radius * FIT_MARGIN);
  }

  /** Orbits by angles in degrees, to the right and up. */
  orbit(right: number, up: number): void {
    orbit(this.#camera, this.#controls.target, right, up);
    this.#controls.update();
  }

  /** Pans by fractions of the height of the picture. */
  pan(right: number, up: number): void {
    pan(this.#camera, this.#controls.target, right, up);
    this.#controls.update();
  }

  /** Changes the distance of the camera by a factor. */
  zoom(factor: number): void {
    zoom(this.#camera, this.#controls.target, factor);
    this.#controls.update();
  }

  showWireframe(isVisible: boolean): void {
    this.#hasWireframe = isVisible;
    for (const model of this.#models) model.showWireframe(isVisible);
    this.#scheduler.request();
  }

  showDefects(kind: string, isVisible: boolean): void {
    for (const model of this.#models) model.showDefects(kind, isVisible);
    this.#scheduler.request();
  }

  /** Keeps the direction of the camera, on which the following sections depend. */
  keepSectionDirection(): void {
    this.#sectionDirection.copy(this.#direction()).negate();
  }

  /** Cuts the models, or shows them whole. */
  setSection(section: Section | undefined): void {
    if (section) setSectionPlane(this.#plane, section, this.#placement, this.#sectionDirection);
    else clearPlane(this.#plane);
    for (const model of this.#models) model.showCutFaces(section !== undefined);
    this.#scheduler.requestMoving();
  }

  /** Moves the camera to a defect of a model. Returns whether the model had to be cut to show it. */
  focus(model: number, place: DefectPlace): boolean {
    const scene = this.#models[model];
    if (!scene) return false;
    this.setSection(undefined);
    const { target, direction, radius, cut } = findFocus(scene, this.#placement, place, this.#direction());
    if (cut) this.#plane.copy(cut);
    this.#lookFrom(direction, target, radius);
    return cut !== undefined;
  }

  /** Projects a point in mm to the canvas, in CSS pixels. Returns `undefined` if it is cut away or out of view. */
  project(point: { x: number; y: number; z: number }): { x: number; y: number } | undefined {
    const position = toScene(this.#placement, point);
    if (this.#plane.distanceToPoint(position) < 0) return undefined;
    const { x, y, z } = position.project(this.#camera);
    if (Math.abs(z) > 1) return undefined;
    const { clientWidth, clientHeight } = this.#canvas;
    return { x: ((x + 1) / 2) * clientWidth, y: ((1 - y) / 2) * clientHeight };
  }

  /** Adapts to the size of the canvas. What fitted in the picture still fits. */
  resize(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    const distance = fitDistance(this.#camera, 1);
    this.#camera.aspect = clientWidth / clientHeight;
    zoom(this.#camera, this.#controls.target, fitDistance(this.#camera, 1) / distance);
    this.#renderer.setSize(clientWidth, clientHeight, false);
    this.#camera.updateProjectionMatrix();
    this.#controls.update();
    this.#scheduler.request();
  }

  /** Releases the models and the WebGL context. */
  dispose(): void {
    this.#scheduler.stop();
    this.#endWatch();
    this.#controls.dispose();
    for (const model of this.#models) model.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }

  /** Returns the unit vector from the target to the camera. */
  #direction(): Vector3 {
    return this.#camera.position.clone().sub(this.#controls.target).normalize();
  }

  #lookFrom(direction: Vector3, target: Vector3, radius: number): void {
    const distance = fitDistance(this.#camera, radius);
    this.#controls.target.copy(target);
    this.#camera.position.copy(target).addScaledVector(direction, distance);
    this.#controls.update();
    this.#scheduler.requestMoving();
  }

  #fullPixelRatio(area: number): number {
    const triangles = this.#models.reduce((sum, { preview }) => sum + preview.trianglesShown, 0);
    const isSmooth = area * SMOOTH_PIXEL_RATIO ** 2 <= MAX_SMOOTH_PIXELS && triangles <= MAX_SMOOTH_TRIANGLES;
    return isSmooth ? SMOOTH_PIXEL_RATIO : Math.min(SMOOTH_PIXEL_RATIO, devicePixelRatio);
  }

  #draw(quality: Quality, isAtRest: boolean): void {
    const renderer = this.#renderer;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (width === 0 || height === 0) return;
    const ratio = quality === 'full' ? this.#fullPixelRatio(width * height) : FAST_PIXEL_RATIO;
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
    fitDepthRange(this.#camera, this.#placement.radius);
    this.#camera.updateMatrixWorld();
    renderer.setScissorTest(false);
    renderer.clear();
    renderer.setScissorTest(true);
    for (const { model, from, to } of this.#parts) {
      const scene = this.#models[model];
      if (!scene) continue;
      scene.setDetail(quality === 'full' ? 'full' : 'coarse');
      renderer.setScissor(from * width, 0, (to - from) * width, height);
      renderer.render(scene.scene, this.#camera);
      renderer.clearStencil();
    }
    // Reading a pixel waits for the GPU.
    const context = renderer.getContext();
    if (isAtRest) context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
    this.#canvas.dataset.detail = isAtRest ? 'full' : 'moving';
    this.#listeners.onFrame();
  }
}
