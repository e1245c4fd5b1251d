import { createCanvas } from './canvas.js';
import { createDetail } from './detail.js';
import { createElement } from './elements.js';
import { createList } from './list.js';
import { createPictures } from './pictures.js';
import { requestJson } from './requests.js';

// The minimum time between two requests for the list.
const INTERVAL_MS = 300;
const TOPIC = 'model-processing/models';

/** Fills the sidebar tab, and draws the pictures under the nodes. `text` returns a text of the catalog of the tab. */
export function startModels(content, text) {
  // key → model, newest first
  let models = new Map();
  // id of a node → key of the model that it shows
  const shownByNode = new Map();
  let isVisible = false;
  // A request for the list is scheduled; one is in progress; another is needed after it.
  let isScheduled = false;
  let isReading = false;
  let isOutdated = false;

  const pictures = createPictures(onPicture);
  const getPicture = (key) => pictures.get(key);
  const listPage = createElement('div', { className: 'model-processing-page' });
  const list = createList({ open: open, getPicture: (key) => (isVisible ? getPicture(key) : undefined), text: text });
  const detail = createDetail({ getPicture: getPicture, onReturn: showDetail, onLeave: showList, text: text });
  const canvas = createCanvas({
    findModel: (id) => models.get(shownByNode.get(id)),
    getPicture: getPicture,
    open: openLarge,
    text: text,
  });
  listPage.append(list.element);
  content.append(listPage);

  function open(key) {
    const model = models.get(key);
    if (model) detail.open(model);
  }

  function showDetail(panel) {
    const hasFocus = listPage.contains(document.activeElement);
    listPage.hidden = true;
    content.append(panel);
    if (hasFocus) panel.querySelector('button').focus();
  }

  function openLarge(key) {
    open(key);
    detail.enlarge();
  }

  function showList(focusedKey) {
    listPage.hidden = false;
    render();
    if (focusedKey) list.focus(focusedKey);
  }

  function render() {
    if (isVisible && !listPage.hidden) list.render([...models.values()]);
    const shown = isVisible ? [...models.keys()] : [];
    // A node may show a model that has left the list.
    const drawn = [...shownByNode.values()].filter((key) => models.has(key));
    pictures.retain(new Set([...shown, ...drawn, detail.key]));
  }

  function onPicture(key) {
    render();
    if (detail.key === key) detail.refresh();
    canvas.redraw();
  }

  async function read() {
    isScheduled = false;
    if (isReading) {
      isOutdated = true;
      return;
    }
    isReading = true;
    try {
      const reply = await requestJson('');
      pictures.retry();
      models = new Map(reply.models.map((model) => [model.key, model]));
      render();
      detail.update(models);
      canvas.redraw();
    } catch (error) {
      list.fail(error.message);
    }
    isReading = false;
    if (isOutdated) readSoon();
    isOutdated = false;
  }

  function readSoon() {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(read, INTERVAL_MS);
  }

  RED.comms.subscribe(`${TOPIC}/#`, (topic, data) => {
    const id = topic.slice(TOPIC.length + 1);
    if (data?.id) shownByNode.set(id, data.id);
    else shownByNode.delete(id);
    readSoon();
  });
  // Retained by Node-RED, so it also arrives after a restart, which ends the entries.
  RED.comms.subscribe('notification/runtime-state', readSoon);
  // A node that is deleted in the editor runs until the next deploy. The entry stays until then.
  RED.events.on('nodes:remove', () => render());

  new IntersectionObserver((entries) => {
    isVisible = entries.at(-1).isIntersecting;
    render();
  }).observe(content);
  void read();
}
