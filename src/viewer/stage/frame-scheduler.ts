/** The time after the last movement until the full detail is drawn, in ms. */
const REST_MS = 120;
/** The duration of a frame above which moving pictures have less detail, in ms. */
const MAX_FRAME_MS = 33;

/** How a frame is drawn. `fast` is for moving pictures on a slow computer. */
export type Quality = 'full' | 'fast';

/** Draws a frame. If nothing moves any more (`isAtRest`), waits until the GPU has completed it. */
export type FrameDrawer = (quality: Quality, isAtRest: boolean) => void;

/**
 * Decides when frames are drawn, and in which quality: on request only, at most one per refresh of the screen. On a
 * computer that is slow with all details, frames have less of them while something moves.
 */
export class FrameScheduler {
  readonly #draw: FrameDrawer;
  #request: number | undefined;
  /** Runs during a movement. */
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  /** Slow until measured, so that the first frame appears soon. */
  #isSlow = true;

  constructor(draw: FrameDrawer) {
    this.#draw = draw;
  }

  /** Requests a frame. */
  request(): void {
    this.#request ??= requestAnimationFrame(() => {
      this.#request = undefined;
      this.#drawNow();
    });
  }

  /** Requests a frame during a movement. The full detail follows after the last one. */
  requestMoving(): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      this.#restTimer = undefined;
      this.request();
    }, REST_MS);
    this.request();
  }

  #drawNow(): void {
    const isMoving = this.#restTimer !== undefined;
    if (isMoving && this.#isSlow) {
      this.#draw('fast', false);
      return;
    }
    const startedAt = performance.now();
    this.#draw('full', !isMoving);
    if (!isMoving) this.#isSlow = performance.now() - startedAt > MAX_FRAME_MS;
  }

  /** Cancels what was requested. */
  stop(): void {
    if (this.#request !== undefined) cancelAnimationFrame(this.#request);
    this.#request = undefined;
    clearTimeout(this.#restTimer);
  }
}
