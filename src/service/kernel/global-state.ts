const TYPES = [
  ...[Object, Function, Array, String, Number, BigInt, Boolean, Symbol, Date, RegExp, Error, Promise],
  ...[Map, Set, WeakMap, WeakSet, ArrayBuffer, DataView, Float64Array, Object.getPrototypeOf(Float64Array)],
] as const;

/** The objects of the language that all code in a thread shares. */
const SHARED_OBJECTS: readonly object[] = [
  ...TYPES.flatMap((type) => [type, type.prototype]),
  ...[globalThis, Math, JSON, Reflect, process],
];

/** Active resources that no job holds: messages, turns of the event loop, and what Node is closing. */
const IDLE_RESOURCES = ['MessagePort', 'Immediate', 'CloseReq'];

function listResources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => !IDLE_RESOURCES.includes(name));
}

/**
 * Describes the state of this thread that jobs share and must not change: how many global values and properties of the
 * objects of the language there are, environment variables, handlers of the process, timers and requests.
 */
export function readGlobalState(): string {
  const counts = SHARED_OBJECTS.map((shared) => Reflect.ownKeys(shared).length);
  const handlers = process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
  return JSON.stringify([counts, process.env, handlers, listResources()]);
}
