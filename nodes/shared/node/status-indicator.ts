import type { Node, NodeStatus } from 'node-red';

/**
 * What a node says of a message that it has done. A warning makes the badge yellow, a failure that has an output of its own makes it
 * red. `output`: where the message goes on; 0 is the first.
 */
export interface Outcome {
  text: string;
  isWarning?: boolean;
  isFailure?: boolean;
  output?: number;
}

/** One message under way, as its badge sees it. */
export interface MessageActivity {
  /** A blue dot: something is being done; `progress` is 0..1, where known. */
  working(text: string, progress?: number): void;
  /** A blue ring: something is waited for. */
  waiting(text: string, progress?: number): void;
  succeed(outcome: Outcome): void;
  fail(text: string): void;
  /** Ends it without a word: its node is closing, or it is dropped. */
  drop(): void;
}

const MAX_TEXT_LENGTH = 28;
const REPAINT_MS = 200;

/**
 * The line under a node. From strongest to weakest: a notice of the service (yellow ring); the last error (red ring), until
 * the next success; what is under way (blue; a dot as soon as one message is worked on), with their number or the share that is
 * done; the last outcome (green dot, or yellow ring for a warning).
 */
export class StatusIndicator {
  readonly #node: Pick<Node, 'status'>;
  readonly #now: () => number;
  readonly #active = new Map<MessageActivity, { text: string; shape: 'dot' | 'ring'; progress: number | undefined }>();
  /** Those of them that are worked on. There may be very many that wait. */
  readonly #working = new Set<MessageActivity>();
  #notice: string | undefined;
  #error: string | undefined;
  #outcome: Outcome | undefined;
  #paintedAt = Number.NEGATIVE_INFINITY;
  #painted = '{}';

  constructor(node: Pick<Node, 'status'>, now: () => number = () => performance.now()) {
    this.#node = node;
    this.#now = now;
  }

  /** A new message; its activity ends by `succeed`, `fail` or `drop`. */
  begin(): MessageActivity {
    return new IndicatorActivity(this);
  }

  /** What is done with a message. */
  show(activity: MessageActivity, text: string, shape: 'dot' | 'ring', progress: number | undefined): void {
    const isNew = this.#active.get(activity)?.text !== text;
    this.#active.set(activity, { text, shape, progress });
    if (shape === 'dot') this.#working.add(activity);
    else this.#working.delete(activity);
    // Progress comes with every chunk; the editor needs to hear of it now and then only.
    if (isNew || this.#now() - this.#paintedAt >= REPAINT_MS) this.#render();
  }

  /** A message is through, or dropped: then without a word. */
  end(activity: MessageActivity, outcome?: Outcome): void {
    this.#active.delete(activity);
    this.#working.delete(activity);
    if (!outcome) return;
    this.#error = outcome.isFailure ? outcome.text : undefined;
    if (!outcome.isFailure) this.#outcome = outcome;
    this.#render();
  }

  /** Shows an error that no message made, as "not configured". */
  fail(text: string): void {
    this.#error = text;
    this.#render();
  }

  /** What the service has to say while it cannot serve; `undefined` takes it away. */
  notice(text: string | undefined): void {
    this.#notice = text;
    this.#render();
  }

  #render(): void {
    const status = this.#status();
    const painted = JSON.stringify(status);
    if (painted === this.#painted) return;
    this.#painted = painted;
    this.#paintedAt = this.#now();
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

/** There may be very many that wait: an object each, and no functions of its own. */
class IndicatorActivity implements MessageActivity {
  readonly #badge: StatusIndicator;
  #isOver: boolean = false;

  constructor(badge: StatusIndicator) {
    this.#badge = badge;
  }

  working(text: string, progress?: number): void {
    if (!this.#isOver) this.#badge.show(this, text, 'dot', progress);
  }

  waiting(text: string, progress?: number): void {
    if (!this.#isOver) this.#badge.show(this, text, 'ring', progress);
  }

  succeed(outcome: Outcome): void {
    this.#isOver = true;
    this.#badge.end(this, outcome);
  }

  fail(text: string): void {
    this.succeed({ text, isFailure: true });
  }

  drop(): void {
    this.#isOver = true;
    this.#badge.end(this);
  }
}

function formatProgress(count: number, text: string, progress: number | undefined): string {
  if (count > 1) return `${text} (${count})`;
  return progress === undefined ? text : `${text} ${Math.floor(progress * 100)} %`;
}

// The middle goes, since a file's extension and a message's beginning say most.
function truncateMiddle(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  const half = Math.floor((MAX_TEXT_LENGTH - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}
