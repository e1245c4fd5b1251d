/** Where the nodes of a flow can be. Nodes keep their ids when a user cuts and pastes them. */
export const PLACES = [
  'tab',
  'other tab',
  'group',
  'subflow',
  'subflow with two instances',
  'nested subflow',
  'disabled',
  'disabled tab',
] as const;

/** A place of nodes. */
export type Place = (typeof PLACES)[number];

type Item = Record<string, unknown>;

/** The nodes that move: the wait node and the node that records its messages. */
const MOVED = ['node', 'record'];

/** Returns whether messages reach nodes at this place. */
export function isReachable(place: Place): boolean {
  return !place.startsWith('disabled');
}

/**
 * Returns a flow with the nodes `node` and `record` at a place. `flow`: one in which they are on the tab `tab`, and the
 * node `in` sends messages to `node`.
 */
export function placeNodes(flow: readonly object[], place: Place): object[] {
  const move = (change: Item, others: Item = {}) =>
    flow.map((item): Item => {
      const { id } = Object(item);
      return { ...item, ...(MOVED.includes(id) ? change : id === 'in' && others) };
    });
  const instance = (id: string, z: string, subflow: string): Item => {
    return { id, z, type: `subflow:${subflow}`, x: 100, y: 200, wires: [] };
  };
  const subflow = (id: string, first: string): Item => {
    return { id, type: 'subflow', name: id, in: [{ x: 50, y: 50, wires: [{ id: first }] }], out: [] };
  };
  const toInstance = { wires: [['instance', 'reply']] };
  if (place === 'tab') return [...flow];
  if (place === 'disabled') return move({ d: true });
  if (place === 'group') return [...move({ g: 'group' }), { id: 'group', type: 'group', z: 'tab', nodes: MOVED }];
  if (place.endsWith('tab')) {
    const other = { id: 'other', type: 'tab', label: 'other', disabled: place === 'disabled tab' };
    const link = { z: 'tab', type: 'link out', x: 100, y: 200, mode: 'link', links: ['receiver'] };
    return [
      ...move({ z: 'other' }, { wires: [['sender', 'reply']] }),
      other,
      { ...link, id: 'sender' },
      { ...link, id: 'receiver', type: 'link in', z: 'other', links: ['sender'], wires: [['node']] },
    ];
  }
  const inner = move({ z: 'sub' }, toInstance);
  const definition = subflow('sub', 'node');
  if (place === 'nested subflow')
    return [
      ...inner,
      definition,
      subflow('outer', 'inner'),
      instance('inner', 'outer', 'sub'),
      instance('instance', 'tab', 'outer'),
    ];
  const instances = [instance('instance', 'tab', 'sub')];
  if (place === 'subflow with two instances') instances.push(instance('second', 'tab', 'sub'));
  return [...inner, definition, ...instances];
}
