// The pictures under the nodes on the canvas.
const TYPE = 'model-processing-preview';
const CLASS = 'model-processing-picture';
// Below the status of the node.
const OFFSET = 22;

/**
 * Draws the picture of its model under each preview node. `findModel` returns the model of a node, `getPicture` the URL
 * of the picture of a model, and `open` shows a model in 3D.
 */
export function createCanvas({ findModel, getPicture, open, text }) {
  function findUrl(node) {
    const model = findModel(node.id);
    return node.showPicture !== false && model?.has.picture ? getPicture(model.key) : undefined;
  }

  function createImage(node) {
    const image = document.createElementNS('http://www.w3.org/2000/svg', 'image');
    image.classList.add(CLASS);
    image.setAttribute('role', 'button');
    image.setAttribute('tabindex', '0');
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    image.append(title);
    // The editor would otherwise select or move the node, or open its dialog.
    for (const type of ['mousedown', 'mouseup', 'touchstart', 'touchend', 'dblclick'])
      image.addEventListener(type, (event) => event.stopPropagation());
    const show = (event) => {
      event.stopPropagation();
      event.preventDefault();
      const model = findModel(node.id);
      if (model) open(model.key);
    };
    image.addEventListener('click', show);
    image.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') show(event);
    });
    return image;
  }

  function draw(node, element) {
    const existing = element.querySelector(`:scope > .${CLASS}`);
    const url = findUrl(node);
    if (!url) {
      existing?.remove();
      return;
    }
    const image = existing ?? createImage(node);
    const width = Math.max(40, Number(node.pictureWidth) || 160);
    const label = text('open', { name: findModel(node.id).summary.filename || text('untitled') });
    image.querySelector('title').textContent = label;
    image.setAttribute('aria-label', label);
    image.setAttribute('href', url);
    image.setAttribute('width', width);
    image.setAttribute('height', Math.round((width * 2) / 3));
    image.setAttribute('y', (node.h || 30) + OFFSET);
    if (!existing) element.append(image);
  }

  // In Node-RED 5, the editor also calls the hook for groups.
  RED.hooks.add('viewRedrawNode.model-processing', ({ node, el }) => {
    if (node.type === TYPE) draw(node, el);
  });

  return {
    /** Draws the pictures of all visible nodes again. */
    redraw() {
      RED.nodes.filterNodes({ type: TYPE }).forEach((node) => {
        node.dirty = true;
      });
      RED.view.redraw();
    },
  };
}
