import type { Page } from 'playwright-core';

// The global of the editor page, for functions that page.evaluate() runs there.
declare const RED: {
  nodes: {
    eachNode(visit: (node: EditorNode) => unknown): void;
    eachConfig(visit: (node: EditorNode & { users: EditorNode[] }) => unknown): void;
    node(id: string): EditorNode;
    import(flow: object[]): void;
  };
  editor: { validateNode(node: EditorNode): boolean };
  view: { redraw(updateActive: boolean): void };
};

/** A node in the editor. */
export interface EditorNode {
  id: string;
  type: string;
  status?: { fill?: string; shape?: string; text?: string };
  /** False if a setting is invalid; the editor marks such nodes with a triangle. */
  valid?: boolean;
  /** The reasons why it is invalid. */
  validationErrors?: string[];
  /** True if it was changed since the last deploy. */
  changed?: boolean;
  /** Of a node: the id of its service. Of a service node: its kind. */
  service?: string;
}

/** A service node in the editor. */
export interface EditorService extends EditorNode {
  /** The ids of the nodes that use it. */
  users: string[];
}

/** Returns the ids of all nodes on the tabs of the editor. */
export function readNodeIds(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const ids: string[] = [];
    RED.nodes.eachNode(({ id }) => ids.push(id));
    return ids;
  });
}

/** Returns the nodes of this package on all tabs of the editor. */
export function readModelNodes(page: Page): Promise<EditorNode[]> {
  return page.evaluate(() => {
    const nodes: EditorNode[] = [];
    RED.nodes.eachNode(({ id, type, status, service = '' }) => {
      if (type.startsWith('model-processing-')) nodes.push({ id, type, service, ...(status ? { status } : {}) });
    });
    return nodes;
  });
}

/** Returns the service nodes of the editor. */
export function readServices(page: Page): Promise<EditorService[]> {
  return page.evaluate(() => {
    const services: EditorService[] = [];
    RED.nodes.eachConfig(({ id, type, valid = true, changed = false, service = '', users }) => {
      if (type === 'model-processing-service')
        services.push({ id, type, valid, changed, service, users: users.map((user) => user.id) });
    });
    return services;
  });
}

/** Returns the types of all nodes and config nodes of the editor with an invalid setting. */
export function readInvalidTypes(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const nodes: EditorNode[] = [];
    RED.nodes.eachNode((node) => nodes.push(node));
    RED.nodes.eachConfig((node) => nodes.push(node));
    return nodes.filter(({ valid }) => valid === false).map(({ type }) => type);
  });
}

/** Adds the nodes of a flow to the editor, with their ids. */
export function importNodes(page: Page, flow: object[]): Promise<void> {
  return page.evaluate((nodes) => {
    RED.nodes.import(nodes);
    RED.view.redraw(true);
  }, flow);
}

/** Returns the reasons why each of these nodes of the editor is invalid. */
export function readValidationErrors(page: Page, ids: string[]): Promise<string[][]> {
  return page.evaluate(
    (nodeIds) =>
      nodeIds.map((id) => {
        const node = RED.nodes.node(id);
        RED.editor.validateNode(node);
        return node.validationErrors ?? [];
      }),
    ids,
  );
}
