import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { useHeldWaits } from '../service/registry.js';
import type { HeldWait, PendingWaits, WaitLease } from './pending-waits.js';

/** The waits of one node: those that its predecessor left, and those of its own messages. */
export class NodeWaits {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #path: string;
  readonly #waits: PendingWaits;
  readonly #release: () => void;
  readonly #releaseClaim: () => void;
  /** Left by the predecessor, and not received again yet. */
  readonly #inherited = new Map<NodeMessage, WaitLease>();
  /** Of these, those that are on their way in. */
  readonly #received = new WeakSet<NodeMessage>();
  readonly #leases = new Set<WaitLease>();
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
    this.#releaseClaim = waits.claim(this.#path, () => this.#receive());
    this.#take();
  }

  /** What the predecessor waited for with this message; asked once, when the message comes in. */
  claimFor(msg: NodeMessage): WaitLease | undefined {
    const hold = this.#inherited.get(msg);
    this.#inherited.delete(msg);
    if (hold) this.#leases.add(hold);
    return hold;
  }

  /** Keeps a wait over redeploys and restarts; `previous`: in the place of that one. */
  hold(wait: HeldWait, previous: WaitLease | undefined): WaitLease {
    previous?.update(wait);
    const hold = previous ?? this.#waits.register(this.#path, wait);
    this.#leases.add(hold);
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
  send(hold: WaitLease, send: () => void): void {
    this.#leases.delete(hold);
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
    for (const hold of [...this.#inherited.values(), ...this.#leases]) hold.end();
    this.#inherited.clear();
    this.#leases.clear();
  }

  /** Leaves what waits to a successor; where the node was removed there will be none. */
  close(isRemoved: boolean): void {
    if (isRemoved && this.#leases.size > 0)
      this.#RED.log.warn(`${this.#leases.size} waits are dropped: node ${this.#path} was removed`);
    if (isRemoved) this.drop();
    else for (const hold of [...this.#inherited.values(), ...this.#leases]) hold.release();
    this.#isReplaced = !isRemoved;
    this.#releaseClaim();
    this.#release();
  }

  #take(): void {
    for (const hold of this.#waits.acquire(this.#path)) this.#inherited.set(hold.wait.msg, hold);
  }

  // Called whenever all nodes are there, and when the journal could be read at last.
  #receive(): void {
    this.#take();
    const fresh = [...this.#inherited.values()].filter(({ wait }) => !this.#received.has(wait.msg));
    const restored = fresh.filter(({ wait }) => wait.isRestored);
    if (restored.length > 0)
      this.#node.log(`taken up after the restart: ${restored.map(({ wait }) => wait.operationId).join(', ')}`);
    for (const { wait } of fresh) {
      this.#received.add(wait.msg);
      this.#node.receive(wait.msg);
    }
  }
}
