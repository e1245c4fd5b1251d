import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { pathOf } from '../node/path-of.js';
import { usePendingWaits } from '../service/registry.js';
import type { DeployGate } from './deploy-gate.js';
import type { PendingWait, PendingWaits, WaitLease } from './pending-waits.js';

/** The pending waits of one node: those inherited from its predecessor, and those of its own messages. */
export class NodeWaits {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #path: string;
  readonly #waits: PendingWaits;
  readonly #releaseWaits: () => void;
  readonly #releaseClaim: () => void;
  /** Message → inherited wait, until the message has been received again. */
  readonly #inherited = new Map<NodeMessage, WaitLease>();
  /** Inherited messages that have been passed to `receive`. */
  readonly #received = new WeakSet<NodeMessage>();
  readonly #leases = new Set<WaitLease>();
  readonly #onDrop: (wait: PendingWait) => void;
  #hasWarned = false;

  /** `onDrop` receives each wait that ends without its message being sent. */
  constructor(RED: NodeAPI, node: Node, onDrop: (wait: PendingWait) => void) {
    this.#RED = RED;
    this.#node = node;
    this.#onDrop = onDrop;
    this.#path = pathOf(node);
    const { waits, release } = usePendingWaits(RED);
    this.#waits = waits;
    this.#releaseWaits = release;
    // Inherited messages are received again once all nodes exist to which they may be sent.
    this.#releaseClaim = waits.claim(this.#path, () => this.#receiveInherited());
    this.#acquireInherited();
  }

  /** Returns the inherited wait of this message, if any. It is returned once, when the message is received again. */
  claimFor(msg: NodeMessage): WaitLease | undefined {
    const lease = this.#inherited.get(msg);
    this.#inherited.delete(msg);
    if (lease) this.#leases.add(lease);
    return lease;
  }

  /**
   * Registers a wait, which then survives redeploys and restarts. It replaces `previous`, if given. Warns once if a
   * message is too large for the journal.
   */
  track(wait: PendingWait, previous: WaitLease | undefined): WaitLease {
    previous?.update(wait);
    const lease = previous ?? this.#waits.register(this.#path, wait);
    this.#leases.add(lease);
    if (lease.isTooLarge && !this.#hasWarned) {
      this.#hasWarned = true;
      this.#node.warn(
        `Message of operation ${wait.operationId} is too large to survive a restart of Node-RED. Remove large Buffers before waiting`,
      );
    }
    return lease;
  }

  /**
   * Sends the message of a wait by calling `send`, and ends the wait once the next nodes have received it. If one of them
   * stops before that, the wait is released to the successor of this node, with the message marked as a repeat.
   * `isError`: the message goes to the Catch nodes, which stop when this node does.
   */
  send(lease: WaitLease, isError: boolean, send: () => void): void {
    this.#leases.delete(lease);
    lease.markSending();
    const receivers = isError ? [this.#node.id] : findWiredNodes(this.#node);
    const nodes = receivers.map((id) => this.#RED.nodes.getNode(id));
    let isDelivered: boolean = true;
    // Node-RED delivers messages by setImmediate: this callback runs just before the delivery, the one below just after
    // it. No other code runs between this one and the delivery.
    setImmediate(() => {
      isDelivered = receivers.every((id, index) => this.#RED.nodes.getNode(id) === nodes[index]);
    });
    send();
    setImmediate(() => (isDelivered ? lease.end() : lease.releaseSent()));
  }

  /** Is closed while a deploy is in progress, so that the next nodes may have stopped. */
  get gate(): DeployGate {
    return this.#waits.gate;
  }

  /** Ends all waits without sending their messages. */
  drop(): void {
    for (const lease of [...this.#inherited.values(), ...this.#leases]) {
      lease.end();
      this.#onDrop(lease.wait);
    }
    this.#inherited.clear();
    this.#leases.clear();
  }

  /** Releases all waits to the successor of this node. If the node was removed, they are discarded after the deploy. */
  close(): void {
    const leases = [...this.#inherited.values(), ...this.#leases];
    const interrupted = leases.flatMap(({ wait: { transfer } }) =>
      transfer && !transfer.isStream ? [transfer.name] : [],
    );
    if (interrupted.length > 0)
      this.#node.log(`Interrupted, to be repeated after the deploy unless Node-RED stops: ${interrupted.join(', ')}`);
    for (const lease of leases) this.#release(lease);
    this.#releaseClaim();
    this.#releaseWaits();
  }

  #release(lease: WaitLease): void {
    const { transfer } = lease.wait;
    if (!transfer?.isStream) {
      lease.release();
      return;
    }
    lease.end();
    this.#node.warn(`Discarded the ${transfer.name}: a stream cannot be read again after a deploy`);
  }

  #acquireInherited(): void {
    for (const lease of this.#waits.acquire(this.#path)) this.#inherited.set(lease.wait.msg, lease);
  }

  // Receives inherited messages again. Called after each deploy, and when a journal that could not be read has been
  // read.
  #receiveInherited(): void {
    this.#acquireInherited();
    const unreceived = [...this.#inherited.values()].filter(({ wait }) => !this.#received.has(wait.msg));
    const restored = unreceived.filter(({ wait }) => wait.isRestored);
    if (restored.length > 0)
      this.#node.log(`Resumed after the restart: ${restored.map(({ wait }) => wait.operationId).join(', ')}`);
    for (const { wait } of unreceived) {
      this.#received.add(wait.msg);
      this.#node.receive(wait.msg);
    }
  }
}

function findWiredNodes(node: Node): string[] {
  const { wires } = Object(node);
  return Array.isArray(wires) ? wires.flat() : [];
}
