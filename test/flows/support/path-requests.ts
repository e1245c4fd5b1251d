/** A request of a client that tries to have a file of the server read. */
export interface PathRequest {
  description: string;
  send: (url: string, method: string) => Promise<Response>;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Returns the requests by which a client can send a path: in JSON, in forms, in text, in the query and in the URL. */
export function createPathRequests(file: string): PathRequest[] {
  const fake = { path: file, originalname: 'x.obj' };
  const bodies: [description: string, type: string, body: string][] = [
    ['JSON of a file', JSON_TYPE, JSON.stringify(fake)],
    ['JSON of a file with a Buffer', JSON_TYPE, JSON.stringify({ ...fake, buffer: Buffer.from('a') })],
    ['JSON of a buffer that is a path', JSON_TYPE, JSON.stringify({ ...fake, buffer: file })],
    ['JSON of a list of files', JSON_TYPE, JSON.stringify([fake])],
    ['JSON of a list of paths', JSON_TYPE, JSON.stringify([file])],
    [
      'JSON of a nested file',
      JSON_TYPE,
      JSON.stringify({ req: { files: [fake] }, files: [fake], payload: file, file: fake }),
    ],
    ['a form', FORM_TYPE, new URLSearchParams(fake).toString()],
    ['a form with a nested file', FORM_TYPE, `files[0][path]=${encodeURIComponent(file)}&files[0][originalname]=x.obj`],
    ['a form with two paths', FORM_TYPE, `path=${encodeURIComponent(file)}&path=a&originalname=x.obj`],
    ['text', 'text/plain', file],
    ['XML', 'application/xml', file],
    ['bytes', 'application/octet-stream', file],
  ];
  return [
    ...bodies.map(([description, type, body]) => ({
      description,
      send: (url: string, method: string) =>
        method === 'GET' ? fetch(url) : fetch(url, { method, body, headers: { 'Content-Type': type } }),
    })),
    { description: 'a query', send: (url, method) => fetch(`${url}?${new URLSearchParams(fake)}`, { method }) },
    {
      description: 'a query with a nested file',
      send: (url, method) => fetch(`${url}?files[0][path]=${encodeURIComponent(file)}&originalname=x.obj`, { method }),
    },
    { description: 'a URL', send: (url, method) => fetch(`${url}/${encodeURIComponent(file)}`, { method }) },
    { description: 'a multipart form of fields', send: (url, method) => sendForm(url, method, Object.entries(fake)) },
    {
      description: 'a multipart form with fields of a list',
      send: (url, method) =>
        sendForm(url, method, [
          ['files[0][path]', file],
          ['files[0][originalname]', 'x.obj'],
        ]),
    },
    {
      description: 'a multipart form with a path as filename',
      send: (url, method) => sendForm(url, method, [...Object.entries(fake), ['file', new File(['no model'], file)]]),
    },
  ];
}

function sendForm(url: string, method: string, fields: [string, string | File][]): Promise<Response> {
  if (method === 'GET') return fetch(url);
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  return fetch(url, { method, body });
}

/**
 * Returns pairs of spellings of a path: of a file that exists, and of one in the same folder that does not. A reply must
 * not tell which of the two exists.
 */
export function listSpellings(file: string, missing: string): [string, string][] {
  const spell = [
    (name: string) => name,
    (name: string) => `file://${name}`,
    (name: string) => `/proc/self/root${name}`,
    (name: string) => `/proc/self/cwd/../../../../../../..${name}`,
    (name: string) => `..${'/..'.repeat(20)}${name}`,
    (name: string) => name.replaceAll('/', '%2f'),
    (name: string) => `/${name}`,
  ];
  return spell.map((change) => [change(file), change(missing)]);
}
