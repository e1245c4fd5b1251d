/** A second loss of the context within this time is final. */
const REPEATED_MS = 60_000;
/** The time within which a lost context must be restored. */
const RESTORE_TIMEOUT_MS = 10_000;

/** What happens when the WebGL context of a canvas is lost. */
export interface ContextWatchOptions {
  onRestored: () => void;
  /** Called if the context is lost for the second time within a minute, or is not restored within 10 s. */
  onLost: () => void;
}

/** Watches the WebGL context of a canvas. Returns a function that ends it. */
export function watchContext(canvas: HTMLCanvasElement, { onRestored, onLost }: ContextWatchOptions): () => void {
  const listeners = new AbortController();
  const { signal } = listeners;
  let lostAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearTimeout(timer);
    listeners.abort();
  };
  const fail = (): void => {
    end();
    onLost();
  };
  const onLoss = (event: Event): void => {
    event.preventDefault(); // without it, the browser does not restore the context
    const isRepeated = event.timeStamp - lostAt < REPEATED_MS;
    lostAt = event.timeStamp;
    if (isRepeated) fail();
    else timer = setTimeout(fail, RESTORE_TIMEOUT_MS);
  };
  const onRestoration = (): void => {
    clearTimeout(timer);
    onRestored();
  };
  canvas.addEventListener('webglcontextlost', onLoss, { signal });
  canvas.addEventListener('webglcontextrestored', onRestoration, { signal });
  return end;
}
