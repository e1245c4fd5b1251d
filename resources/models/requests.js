// The requests of the tab to Node-RED. Their paths are relative to the page, as Node-RED may be below a folder.

let signIn;

// Opens the sign-in of the editor, once for all requests that wait for it.
function waitForSignIn() {
  signIn ??= new Promise((resolve) => {
    RED.user.login({ updateMenu: true }, resolve);
  }).finally(() => {
    signIn = undefined;
  });
  return signIn;
}

// Returns the reply to a GET request. If the session has ended, the user signs in first. Throws an error with `status`.
async function request(path, options) {
  const send = () =>
    new Promise((resolve, reject) => {
      // jQuery adds the token of the session.
      $.ajax({ url: `model-processing/models${path}`, ...options }).then(resolve, ({ status, statusText }) => {
        reject(Object.assign(new Error(statusText || String(status)), { status: status }));
      });
    });
  try {
    return await send();
  } catch (error) {
    if (error.status !== 401) throw error;
    await waitForSignIn();
    return send();
  }
}

/** Returns the JSON at a path below that of the models. */
export function requestJson(path) {
  return request(path, { dataType: 'json' });
}

/** Returns the bytes at a path below that of the models, as a Blob. */
export function requestBlob(path) {
  return request(path, {
    xhrFields: { responseType: 'blob' },
    processData: false,
    dataType: 'binary',
    converters: { '* binary': true },
  });
}
