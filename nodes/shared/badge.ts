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
export interface Activity {
  /** A blue dot: something is being done; `share` is 0..1, where known. */
  working(text: string, share?: number): void;
  /** A blue ring: something is waited for. */
  waiting(text: string, share?: number): void;
  succeed(outcome: Outcome): void;
  fail(text: string): void;
  /** Ends it without a word: its node is closing, or it is dropped. */
  drop(): void;
}

const LONGEST_TEXT = 28;
const REPAINT_MS = 200;

/**
 * The line under a node. From strongest to weakest: a notice of the service (yellow ring); the last error (red ring), until
 * the next success; what is under way (blue; a dot as soon as one message is worked on), with their number or the share that is
 * done; the last outcome (green dot, or yellow ring for a warning).
 */
export class Badge {
  readonly #node: Pick<Node, 'status'>;
  readonly #now: () => number;
  readonly #underWay = new Map<Activity, { text: string; shape: 'dot' | 'ring'; share: number | undefined }>();
  /** Those of them that are worked on. There may be very many that wait. */
  readonly #worked = new Set<Activity>();
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
  begin(): Activity {
    return new BadgeActivity(this);
  }

  /** What is done with a message. */
  show(activity: Activity, text: string, shape: 'dot' | 'ring', share: number | undefined): void {
    const isNew = this.#underWay.get(activity)?.text !== text;
    this.#underWay.set(activity, { text, shape, share });
    if (shape === 'dot') this.#worked.add(activity);
    else this.#worked.delete(activity);
    // Progress comes with every chunk; the editor needs to hear of it now and then only.
    if (isNew || this.#now() - this.#paintedAt >= REPAINT_MS) this.#paint();
  }

  /** A message is through, or dropped: then without a word. */
  end(activity: Activity, outcome?: Outcome): void {
    this.#underWay.delete(activity);
    this.#worked.delete(activity);
    if (!outcome) return;
    this.#error = outcome.isFailure ? outcome.text : undefined;
    if (!outcome.isFailure) this.#outcome = outcome;
    this.#paint();
  }

  /** Shows an error that no message made, as "not configured". */
  fail(text: string): void {
    this.#error = text;
    this.#paint();
  }

  /** What the service has to say while it cannot serve; `undefined` takes it away. */
  notice(text: string | undefined): void {
    this.#notice = text;
    this.#paint();
  }

  #paint(): void {
    const status = this.#status();
    const painted = JSON.stringify(status);
    if (painted === this.#painted) return;
    this.#painted = painted;
    this.#paintedAt = this.#now();
    this.#node.status(status);
  }

  #status(): NodeStatus {
    if (this.#notice !== undefined) return { fill: 'yellow', shape: 'ring', text: shorten(this.#notice) };
    if (this.#error !== undefined) return { fill: 'red', shape: 'ring', text: shorten(this.#error) };
    const [first] = this.#worked.size > 0 ? this.#worked : this.#underWay.keys();
    const shown = first && this.#underWay.get(first);
    if (shown)
      return { fill: 'blue', shape: shown.shape, text: underWayText(this.#underWay.size, shown.text, shown.share) };
    if (!this.#outcome) return {};
    const { text, isWarning } = this.#outcome;
    return { fill: isWarning ? 'yellow' : 'green', shape: isWarning ? 'ring' : 'dot', text: shorten(text) };
  }
}

/** There may be very many that wait: an object each, and no functions of its own. */
class BadgeActivity implements Activity {
  readonly #badge: Badge;
  #isOver: boolean = false;

  constructor(badge: Badge) {
    this.#badge = badge;
  }

  working(text: string, share?: number): void {
    if (!this.#isOver) this.#badge.show(this, text, 'dot', share);
  }

  waiting(text: string, share?: number): void {
    if (!this.#isOver) this.#badge.show(this, text, 'ring', share);
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

function underWayText(count: number, text: string, share: number | undefined): string {
  if (count > 1) return `${text} (${count})`;
  return share === undefined ? text : `${text} ${Math.floor(share * 100)} %`;
}

// The middle goes, since a file's extension and a message's beginning say most.
function shorten(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const half = Math.floor((LONGEST_TEXT - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}
