// The flows of the benchmark. `GET /<name>?…` starts one and replies when it has finished. `core-…` uses core nodes
// only, `our-…` the nodes of this package.

type FlowNode = { id: string; type: string; [setting: string]: unknown };

const ON_TAB = { z: 'tab', x: 100, y: 100 };

function httpIn(name: string, to: string): FlowNode {
  return {
    id: `in ${name}`,
    type: 'http in',
    ...ON_TAB,
    url: `/${name}`,
    method: 'get',
    wires: [[to]],
  };
}
function functionNode(id: string, func: string, to: string[], more: object = {}): FlowNode {
  return {
    id,
    type: 'function',
    ...ON_TAB,
    func,
    outputs: to.length,
    wires: to.map((target) => [target]),
    ...more,
  };
}
function modelNode(id: string, type: string, to: string, more: object = {}): FlowNode {
  return {
    id,
    type: `model-processing-${type}`,
    ...ON_TAB,
    service: 'service',
    wires: [[to]],
    ...more,
  };
}
function httpRequest(id: string, method: string, ret: string, to: string): FlowNode {
  return {
    id,
    type: 'http request',
    ...ON_TAB,
    method,
    ret,
    url: '',
    senderr: true,
    wires: [[to]],
  };
}

function service(id: string, baseUrl: string): FlowNode {
  return {
    id,
    type: 'model-processing-service',
    service: 'remote',
    baseUrl,
  };
}

/**
 * Returns the code of a function node that sends `count` messages at once. GATHER replies when all have ended, with the
 * number of successes.
 */
function sendManyScript(payload: string): string {
  return `const { path, count } = msg.req.query;
  context.flow.set('many', { left: Number(count), good: 0, req: msg.req, res: msg.res });
  for (let i = 0; i < count; i += 1) node.send(i % 2 ? [{ payload: ${payload} }] : [null, { payload: ${payload} }]);`;
}
const GATHER = `const many = context.flow.get('many');
  many.left -= 1;
  if (!msg.error) many.good += 1;
  else many.error = msg.error.message;
  if (many.left > 0) return null;
  return { payload: { good: many.good, error: many.error }, req: many.req, res: many.res };`;

/** Returns all flows for the service at this URL. Files are written to `folder`. */
export function benchFlows(baseUrl: string, folder: string): FlowNode[] {
  return [
    { id: 'tab', type: 'tab', label: 'bench' },
    service('service', baseUrl),
    service('second service', baseUrl),
    { id: 'answer', type: 'http response', ...ON_TAB, wires: [] },

    httpIn('our-upload', 'path'),
    functionNode('path', 'msg.payload = msg.req.query.path; return msg;', ['upload']),
    modelNode('upload', 'upload', 'answer'),

    httpIn('our-download', 'id'),
    functionNode('id', 'msg.payload = { fileId: msg.req.query.id }; return msg;', ['download']),
    modelNode('download', 'download', 'answer', {
      target: 'file',
      path: `${folder}/ours.stl`,
      pathType: 'str',
      exists: 'overwrite',
    }),

    httpIn('many-uploads', 'send many'),
    functionNode('send many', sendManyScript('path'), ['many upload', 'many upload']),
    modelNode('many upload', 'upload', 'gather'),

    httpIn('many-starts', 'start many'),
    functionNode('start many', sendManyScript('{ resultId: path }'), ['first repair', 'second repair']),
    modelNode('first repair', 'repair', 'gather'),
    modelNode('second repair', 'repair', 'gather', { service: 'second service' }),

    functionNode('gather', GATHER, ['answer']),
    {
      id: 'catch',
      type: 'catch',
      ...ON_TAB,
      scope: ['many upload', 'first repair', 'second repair'],
      wires: [['gather']],
    },

    httpIn('core-upload', 'name'),
    functionNode('name', 'msg.filename = msg.req.query.path; return msg;', ['read']),
    {
      id: 'read',
      type: 'file in',
      ...ON_TAB,
      filename: 'filename',
      filenameType: 'msg',
      format: '',
      wires: [['form']],
    },
    functionNode(
      'form',
      `const head = '--b\\r\\nContent-Disposition: form-data; name="file"; filename="part.stl"\\r\\n\\r\\n';
    msg.payload = Buffer.concat([Buffer.from(head), msg.payload, Buffer.from('\\r\\n--b--\\r\\n')]);
    msg.headers = { 'content-type': 'multipart/form-data; boundary=b', authorization: 'Bearer any' };
    msg.url = '${baseUrl}/web-api/operation/file';
    return msg;`,
      ['send'],
    ),
    httpRequest('send', 'POST', 'obj', 'answer headers'),
    functionNode('answer headers', 'delete msg.headers; return msg;', ['answer']),

    httpIn('core-download', 'address'),
    functionNode(
      'address',
      `msg.url = '${baseUrl}/web-api/operation/file/' + msg.req.query.id;
    msg.headers = { authorization: 'Bearer any' };
    return msg;`,
      ['fetch'],
    ),
    httpRequest('fetch', 'GET', 'bin', 'write'),
    {
      id: 'write',
      type: 'file',
      ...ON_TAB,
      filename: `${folder}/core.stl`,
      filenameType: 'str',
      overwriteFile: 'true',
      appendNewline: false,
      wires: [['forget']],
    },
    functionNode('forget', "msg.payload = 'done'; delete msg.headers; return msg;", ['answer']),
  ];
}
