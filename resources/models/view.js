import { createElement } from './elements.js';
import { requestBlob } from './requests.js';

/** The number of directions from which the service draws pictures. */
const VIEW_COUNT = 8;

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
  // The model whose mesh is loaded or shown: another object each time, as it may be shown again while it is loaded.
  let shown;
  // The blob URLs of its pictures, in browsers without WebGL.
  let pictureUrls = [];

  // The theme of the editor is a class of the page.
  new MutationObserver(() => viewer?.setTheme(findTheme())).observe(document.documentElement, {
    attributeFilter: ['class'],
  });

  // Yields the URLs of pictures of a model, from all directions that the service can draw. It requests one at a time: the
  // deadline of a request includes the wait for earlier drawings. Those that failed are requested again by the next `show`.
  async function* readPictures(current) {
    for (let view = 0; view < VIEW_COUNT && shown === current; view += 1) {
      const blob = await requestBlob(`/${current.key}/picture?view=${view}`).catch(() => undefined);
      if (!blob || shown !== current) continue;
      const url = URL.createObjectURL(blob);
      pictureUrls.push(url);
      yield url;
    }
  }

  function revokePictures() {
    for (const url of pictureUrls) URL.revokeObjectURL(url);
    pictureUrls = [];
  }

  function close() {
    viewer?.dispose();
    viewer = undefined;
    shown = undefined;
    revokePictures();
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
    const current = { key };
    shown = current;
    try {
      const [library, preview, before] = await Promise.all([
        import(new URL('../viewer.js', import.meta.url).href),
        requestBytes(`/${key}/mesh`),
        has.before ? requestBytes(`/${key}/mesh?of=before`) : undefined,
      ]);
      if (shown !== current) return;
      element.replaceChildren();
      viewer = library.createViewer(element, {
        texts: RED.i18n.lang().startsWith('de') ? library.GERMAN : library.ENGLISH,
        theme: findTheme(),
      });
      viewer.show({ preview: preview, pictures: () => readPictures(current) }, before && { preview: before });
      element.setAttribute('data-has-mesh', '');
    } catch (error) {
      if (shown !== current) return;
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
      if (shown?.key === model.key) {
        // The picture was loaded, or its file has expired. The mesh does not change.
        if (!viewer && element.childElementCount === 0) showPicture(model, note);
        return;
      }
      close();
      showPicture(model, note);
      if (isReady) void showMesh(model);
    },
  };
}
