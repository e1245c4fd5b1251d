/**
 * Nodes for `WaitingNodeRed` that upload a stream on two wires, so that Node-RED clones it: `isStalled` of a POST to
 * `/stream` selects a stream that never provides data. A POST to `/reset` discards the uploads.
 */
export const STREAM_NODES = [
  { id: 'stream-in', type: 'http in', url: '/stream', method: 'post', wires: [['stream', 'reply']] },
  {
    id: 'stream',
    type: 'function',
    outputs: 1,
    func: "msg.file = { data: global.get('createStream')(msg.payload.isStalled) }; msg.filename = 'part.stl'; return msg;",
    wires: [['first', 'second']],
  },
  {
    id: 'first',
    type: 'model-processing-upload',
    service: 'service',
    source: 'file.data',
    sourceType: 'msg',
    wires: [['uploaded']],
  },
  {
    id: 'second',
    type: 'model-processing-upload',
    service: 'service',
    source: 'file.data',
    sourceType: 'msg',
    wires: [['uploaded']],
  },
  {
    id: 'uploaded',
    type: 'function',
    outputs: 1,
    func: 'msg.payload.operationId = msg.payload.fileId; return msg;',
    wires: [['record-upload']],
  },
  { id: 'record-upload', type: 'function', func: "global.get('record')(msg);", outputs: 0, wires: [] },
  { id: 'reset-in', type: 'http in', url: '/reset', method: 'post', wires: [['reset', 'reply']] },
  {
    id: 'reset',
    type: 'change',
    rules: [{ t: 'set', p: 'reset', pt: 'msg', to: 'true', tot: 'bool' }],
    wires: [['first']],
  },
].map((node) => ({ z: 'tab', x: 100, y: 100, ...node }));
