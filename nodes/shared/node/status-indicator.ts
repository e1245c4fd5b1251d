import type { Node, NodeStatus } from 'node-red';

/** The outcome of a message that a node has processed. */
export interface Outcome {
  /** The status text. */
  text: string;
  /** Turns the status yellow. */
  isWarning?: boolean;
  /** Turns the status red, for failures that are sent to an output. */
  isFailure?: boolean;
  /** The index of the output to send the message to. Default: 0. */
  output?: number;
  /** The message ends here: it is not sent. */
  isConsumed?: boolean;
  /** The message was not processed, so the status stays. */
  isSkipped?: boolean;
}

/** The status of one message in progress. Calls after `succeed`, `fail` or `drop` have no effect. */
export interface MessageActivity {
  /** Shows a blue dot: the node works on the message. `progress` is 0..1, if known. */
  working(text: string, progress?: number): void;
  /** Shows a blue ring: the message waits. `progress` is 0..1, if known. */
  waiting(text: string, progress?: number): void;
  /** Ends the activity with an outcome. */
  succeed(outcome: Outcome): void;
  /** Ends the activity with an error. */
  fail(text: string): void;
  /** Ends the activity without an outcome: the node closes, or the message is discarded. */
  drop(): void;
}

/** The maximum length of a status text in characters. */
const MAX_TEXT_LENGTH = 28;
/** The minimum time between two updates of the progress. */
const RENDER_INTERVAL_MS = 200;

/**
 * Shows the status of a node. The first of these that exists is shown:
 *
 * 1. the notice of the service: yellow ring;
 * 2. the last error, until the next success: red ring;
 * 3. the messages in progress, with their count or the progress of the only one: blue dot if the node works on one of
 *    them, else blue ring;
 * 4. the last outcome: green dot, or yellow ring for a warning.
 */
export class StatusIndicator {
  readonly #node: Pick<Node, 'status'>;
  readonly #now: () => number;
  readonly #active = new Map<MessageActivity, { text: string; shape: 'dot' | 'ring'; progress: number | undefined }>();
  /** The subset of `#active` that the node works on, so that no search among many waiting messages is necessary. */
  readonly #working = new Set<MessageActivity>();
  #notice: string | undefined;
  #error: string | undefined;
  #outcome: Outcome | undefined;
  #renderedAt = Number.NEGATIVE_INFINITY;
  /** The last status that was sent to the editor, as JSON. */
  #rendered = '{}';

  constructor(node: Pick<Node, 'status'>, now: () => number = () => performance.now()) {
    this.#node = node;
    this.#now = now;
  }

  /** Creates the activity of a new message. It ends with `succeed`, `fail` or `drop`. */
  begin(): MessageActivity {
    return new IndicatorActivity(this);
  }

  /** Shows a message in progress. For `IndicatorActivity`. */
  show(activity: MessageActivity, text: string, shape: 'dot' | 'ring', progress: number | undefined): void {
    const isNew = this.#active.get(activity)?.text !== text;
    this.#active.set(activity, { text, shape, progress });
    if (shape === 'dot') this.#working.add(activity);
    else this.#working.delete(activity);
    // Progress is reported for each chunk. Updates are throttled, because each is sent to all open editors.
    if (isNew || this.#now() - this.#renderedAt >= RENDER_INTERVAL_MS) this.#render();
  }

  /** Ends a message; one without an outcome is discarded and not rendered. For `IndicatorActivity`. */
  end(activity: MessageActivity, outcome?: Outcome): void {
    this.#active.delete(activity);
    this.#working.delete(activity);
    if (!outcome) return;
    this.#error = outcome.isFailure ? outcome.text : undefined;
    if (!outcome.isFailure) this.#outcome = outcome;
    this.#render();
  }

  /** Shows an error that does not belong to a message, such as "not configured". */
  fail(text: string): void {
    this.#error = text;
    this.#render();
  }

  /** Sets the notice of a service that is not available; `undefined` removes it. */
  notice(text: string | undefined): void {
    this.#notice = text;
    this.#render();
  }

  #render(): void {
    const status = this.#status();
    const rendered = JSON.stringify(status);
    if (rendered === this.#rendered) return;
    this.#rendered = rendered;
    this.#renderedAt = this.#now();
    this.#node.status(status);
  }

  #status(): NodeStatus {
    if (this.#notice !== undefined) return { fill: 'yellow', shape: 'ring', text: truncateMiddle(this.#notice) };
    if (this.#error !== undefined) return { fill: 'red', shape: 'ring', text: truncateMiddle(this.#error) };
    const [first] = this.#working.size > 0 ? this.#working : this.#active.keys();
    const shown = first && this.#active.get(first);
    if (shown)
      return { fill: 'blue', shape: shown.shape, text: formatProgress(this.#active.size, shown.text, shown.progress) };
    if (!this.#outcome) return {};
    const { text, isWarning } = this.#outcome;
    return { fill: isWarning ? 'yellow' : 'green', shape: isWarning ? 'ring' : 'dot', text: truncateMiddle(text) };
  }
}

// A class instead of closures: with many waiting messages, one object each saves memory.
class IndicatorActivity implements MessageActivity {
  readonly #indicator: StatusIndicator;
  #hasEnded: boolean = false;

  constructor(indicator: StatusIndicator) {
    this.#indicator = indicator;
  }

  working(text: string, progress?: number): void {
    if (!this.#hasEnded) this.#indicator.show(this, text, 'dot', progress);
  }

  waiting(text: string, progress?: number): void {
    if (!this.#hasEnded) this.#indicator.show(this, text, 'ring', progress);
  }

  succeed(outcome: Outcome): void {
    this.#hasEnded = true;
    this.#indicator.end(this, outcome);
  }

  fail(text: string): void {
    this.succeed({ text, isFailure: true });
  }

  drop(): void {
    this.#hasEnded = true;
    this.#indicator.end(this);
  }
}

function formatProgress(count: number, text: string, progress: number | undefined): string {
  if (count > 1) return `${text} (${count})`;
  return progress === undefined ? text : `${text} ${Math.floor(progress * 100)} %`;
}

// Keeps the start and the end: the extension of a filename and the start of a text are the most informative parts.
function truncateMiddle(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  const half = Math.floor((MAX_TEXT_LENGTH - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}
