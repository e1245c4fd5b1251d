import { createButton, createElement } from './elements.js';
import { createReport, describeState } from './report.js';
import { requestJson } from './requests.js';
import { createView } from './view.js';

/**
 * Creates the panel with one model: its 3D view and its report. It is in the tab, or in a wide tray after `enlarge`.
 * `onReturn` is called with the panel to put it into the tab, `onLeave` when it leaves the tab: with the key of the model if
 * the focus was in the panel.
 */
export function createDetail({ getPicture, onReturn, onLeave, text }) {
  const view = createView({ getPicture: getPicture, text: text });
  // Receives the focus when the tray opens.
  const title = createElement('strong', { attributes: { tabindex: '-1' } });
  const report = createElement('div');
  let isInTray = false;
  // The list entry of the model, and the last state that was read.
  let current;

  const back = createButton('fa-chevron-left', text('back'), close);
  const enlargeButton = createButton('fa-expand', text('enlarge'), enlarge);
  const header = createElement('div', { className: 'model-processing-header' }, back, title, enlargeButton);
  const element = createElement('div', { className: 'model-processing-detail' }, header, view.element, report);

  function close() {
    const focusedKey = element.contains(document.activeElement) ? current?.key : undefined;
    current = undefined;
    if (isInTray) RED.tray.close();
    view.close();
    report.replaceChildren();
    element.remove();
    onLeave(focusedKey);
  }

  function enlarge() {
    if (isInTray || !current) return;
    isInTray = true;
    const opener = document.activeElement;
    enlargeButton.hidden = true;
    back.hidden = true;
    onLeave();
    const state = RED.view.state();
    RED.view.state(RED.state.EDITING);
    RED.tray.show({
      title: text('tab'),
      width: Number.POSITIVE_INFINITY,
      focusElement: title,
      buttons: [{ text: text('close'), class: 'primary', click: () => RED.tray.close() }],
      open: (tray) => {
        tray.find('.red-ui-tray-body').addClass('model-processing-models').append(element);
      },
      close: () => {
        isInTray = false;
        enlargeButton.hidden = false;
        back.hidden = false;
        RED.view.state(state);
        if (current) onReturn(element);
        // The editor moves the focus to the canvas right after this function.
        setTimeout(() => opener.focus());
      },
    });
  }

  async function show(model) {
    current = model;
    title.textContent = model.summary.filename || text('untitled');
    view.show(model, describeState(model, text));
    try {
      const full = await requestJson(`/${model.key}`);
      if (current === model) report.replaceChildren(createReport(full, text));
    } catch {
      // The model left the list, or the connection is interrupted: the next change of the list shows which.
    }
  }

  return {
    get key() {
      return current?.key;
    },
    enlarge,
    /** Shows a model. */
    open(model) {
      if (!isInTray) onReturn(element);
      if (current?.key !== model.key) report.replaceChildren();
      void show(model);
    },
    /** Shows the new state of the model, or goes back if it is not listed any more. */
    update(models) {
      if (!current) return;
      const model = models.get(current.key);
      if (!model) close();
      else if (model.revision !== current.revision) void show(model);
    },
    /** The picture of the model was loaded. */
    refresh() {
      if (current) view.show(current, describeState(current, text));
    },
  };
}
