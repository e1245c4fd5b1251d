import { createElement } from './elements.js';
import { requestBlob } from './requests.js';

async function requestBytes(path) {
  return new Uint8Array(await (await requestBlob(path)).arrayBuffer());
}

function findTheme() {
  return document.documentElement.classList.contains('nr-theme-dark') ? 'dark' : 'light';
}

/**
 * Creates the 3D view of one model, with its picture until the mesh was loaded. The page has one such view, since browsers
 * limit the number of WebGL contexts.
 */
export function createView({ getPicture, text }) {
  const element = createElement('div', { className: 'model-processing-view' });
  let viewer;
  // The key of the model whose mesh is loaded or shown.
  let shownKey;

  function close() {
    viewer?.dispose();
    viewer = undefined;
    shownKey = undefined;
    element.replaceChildren();
    element.removeAttribute('data-has-mesh');
  }

  function showPicture(model, note = '') {
    const url = model.has.picture ? getPicture(model.key) : undefined;
    const name = model.summary.filename || text('untitled');
    const picture = url
      ? [createElement('img', { attributes: { src: url, alt: text('picture', { name: name }) } })]
      : [];
    element.replaceChildren(
      ...picture,
      ...(note ? [createElement('p', { attributes: { role: 'status' } }, note)] : []),
    );
  }

  async function showMesh(model) {
    const { key, has } = model;
    try {
      const [library, preview, before] = await Promise.all([
        import(new URL('../viewer.js', import.meta.url).href),
        requestBytes(`/${key}/mesh`),
        has.before ? requestBytes(`/${key}/mesh?of=before`) : undefined,
      ]);
      if (shownKey !== key) return;
      element.replaceChildren();
      viewer = library.createViewer(element, {
        texts: RED.i18n.lang().startsWith('de') ? library.GERMAN : library.ENGLISH,
        theme: findTheme(),
      });
      const url = has.picture ? getPicture(key) : undefined;
      viewer.show({ preview: preview, pictures: url ? [url] : [] }, before && { preview: before });
      element.setAttribute('data-has-mesh', '');
    } catch (error) {
      if (shownKey !== key) return;
      viewer?.dispose();
      viewer = undefined;
      const isMissing = error.status === 404 || error.status === 410;
      showPicture(model, isMissing ? text('state.missing') : text('state.noViewer', { reason: error.message }));
    }
  }

  return {
    element,
    close,
    /** Shows a model. `note`: a sentence about it that is shown with its picture. */
    show(model, note) {
      const isReady = model.has.mesh && model.state !== 'working';
      if (shownKey === model.key) {
        // The picture was loaded, or its file has expired. The mesh does not change.
        if (!viewer && element.childElementCount === 0) showPicture(model, note);
        return;
      }
      close();
      showPicture(model, note);
      if (!isReady) return;
      shownKey = model.key;
      void showMesh(model);
    },
  };
}
