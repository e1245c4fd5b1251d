import type { Node, NodeAPI, NodeMessage } from 'node-red';
import type { HeldWait, HeldWaits, Hold } from './held-waits.js';
import { useHeldWaits } from './registry.js';

/** The waits of one node: those that its predecessor left, and those of its own messages. */
export class NodeWaits {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #path: string;
  readonly #waits: HeldWaits;
  readonly #release: () => void;
  readonly #unclaim: () => void;
  /** Left by the predecessor, and not received again yet. */
  readonly #taken = new Map<NodeMessage, Hold>();
  /** Of these, those that are on their way in. */
  readonly #received = new WeakSet<NodeMessage>();
  readonly #holds = new Set<Hold>();
  #hasWarned = false;
  /** It has closed, and a successor may come. */
  #isReplaced = false;

  constructor(RED: NodeAPI, node: Node) {
    this.#RED = RED;
    this.#node = node;
    // The path stays the same over redeploys, also inside of subflows, where ids are made anew.
    this.#path = '_path' in node && typeof node._path === 'string' ? node._path : node.id;
    const { waits, release } = useHeldWaits(RED);
    this.#waits = waits;
    this.#release = release;
    // The messages come in once more, when all nodes that they may be sent on to are there.
    this.#unclaim = waits.claim(this.#path, () => this.#receive());
    this.#take();
  }

  /** What the predecessor waited for with this message; asked once, when the message comes in. */
  takenFor(msg: NodeMessage): Hold | undefined {
    const hold = this.#taken.get(msg);
    this.#taken.delete(msg);
    if (hold) this.#holds.add(hold);
    return hold;
  }

  /** Keeps a wait over redeploys and restarts; `earlier`: in the place of that one. */
  hold(wait: HeldWait, earlier: Hold | undefined): Hold {
    earlier?.update(wait);
    const hold = earlier ?? this.#waits.hold(this.#path, wait);
    this.#holds.add(hold);
    if (hold.isTooLarge && !this.#hasWarned) {
      this.#hasWarned = true;
      this.#node.warn(
        `the message of operation ${wait.operationId} is too large to be kept over a restart of Node-RED: remove large Buffers from it`,
      );
    }
    return hold;
  }

  /**
   * Sends the message of a wait by calling `send`, and ends the wait once the next nodes have it. From here on no successor gets it,
   * unless this node has closed before they have it: with it they may have closed, too.
   */
  send(hold: Hold, send: () => void): void {
    this.#holds.delete(hold);
    hold.markSending();
    let mayBeLost: boolean = false;
    // Node-RED hands messages to the next nodes by setImmediate: this comes just before that, and the other one just after it.
    setImmediate(() => {
      mayBeLost = this.#isReplaced;
    });
    send();
    setImmediate(() => (mayBeLost ? hold.releaseSent() : hold.end()));
  }

  /** Forgets everything that waits. */
  drop(): void {
    for (const hold of [...this.#taken.values(), ...this.#holds]) hold.end();
    this.#taken.clear();
    this.#holds.clear();
  }

  /** Leaves what waits to a successor; where the node was removed there will be none. */
  close(isRemoved: boolean): void {
    if (isRemoved && this.#holds.size > 0)
      this.#RED.log.warn(`${this.#holds.size} waits are dropped: node ${this.#path} was removed`);
    if (isRemoved) this.drop();
    else for (const hold of [...this.#taken.values(), ...this.#holds]) hold.release();
    this.#isReplaced = !isRemoved;
    this.#unclaim();
    this.#release();
  }

  #take(): void {
    for (const hold of this.#waits.take(this.#path)) this.#taken.set(hold.wait.msg, hold);
  }

  // Called whenever all nodes are there, and when the journal could be read at last.
  #receive(): void {
    this.#take();
    const fresh = [...this.#taken.values()].filter(({ wait }) => !this.#received.has(wait.msg));
    const restored = fresh.filter(({ wait }) => wait.isRestored);
    if (restored.length > 0)
      this.#node.log(`taken up after the restart: ${restored.map(({ wait }) => wait.operationId).join(', ')}`);
    for (const { wait } of fresh) {
      this.#received.add(wait.msg);
      this.#node.receive(wait.msg);
    }
  }
}
