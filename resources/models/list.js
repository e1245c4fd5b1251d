import { createBadge, createElement, formatNumber } from './elements.js';
import { describeState } from './report.js';

// How often it is checked whether the button of the mouse was released.
const RELEASE_INTERVAL_MS = 50;

/** Returns the label of the node of a model: for a node in a subflow, with the labels of the instances around it. */
function labelPath(path) {
  const [tab, ...nodes] = path.split('/');
  const label = (id) => {
    // Nodes that another editor deployed are not known here, and neither are those deleted since the last deploy.
    const node = RED.nodes.node(id);
    return node ? RED.utils.getNodeLabel(node, id) : id;
  };
  return nodes.length > 0 ? nodes.map(label).join(' / ') : label(tab);
}

/** Creates the list of models. `open` shows one of them; `getPicture` returns the URL of its picture. */
export function createList({ open, getPicture, text }) {
  const element = createElement('div', { className: 'model-processing-list' });
  // Shows the latest content when the button of the mouse is released.
  let waiting;

  // A list may contain nothing but its items.
  function showSentence(sentence) {
    element.removeAttribute('role');
    element.replaceChildren(createElement('p', { className: 'model-processing-empty' }, sentence));
  }

  function createWarning(model) {
    const reason = describeState(model, text);
    return createElement('span', { attributes: { role: 'img', 'aria-label': reason, title: reason } }, ' ⚠');
  }

  function createRow(model) {
    const { key, has, path, receivedAt, summary, state } = model;
    const url = has.picture ? getPicture(key) : undefined;
    const name = summary.filename || text('untitled');
    const { triangles } = summary.analysis;
    const facts = [
      ...(triangles === undefined ? [] : [text('triangles', { count: formatNumber(triangles) })]),
      labelPath(path),
      new Date(receivedAt).toLocaleTimeString(RED.i18n.lang()),
    ];
    const picture = url
      ? createElement('img', { attributes: { src: url, alt: '' } })
      : createElement('span', {
          className: 'model-processing-no-picture fa fa-cube',
          attributes: { 'aria-hidden': 'true' },
        });
    const row = createElement(
      'button',
      {
        className: 'model-processing-row',
        attributes: { type: 'button', 'data-key': key },
        on: { click: () => open(key) },
      },
      picture,
      createElement(
        'span',
        {},
        createElement('strong', {}, name),
        createElement('span', {}, createBadge(summary, text), ...(state === 'failed' ? [createWarning(model)] : [])),
        createElement('small', {}, facts.join(' · ')),
      ),
    );
    return createElement('div', { attributes: { role: 'listitem' } }, row);
  }

  function showModels(models) {
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    if (models.length === 0) {
      showSentence(text('empty'));
      return;
    }
    element.setAttribute('role', 'list');
    element.replaceChildren(...models.map(createRow));
    if (focused) element.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  function showWaiting() {
    if (element.matches(':active')) {
      setTimeout(showWaiting, RELEASE_INTERVAL_MS);
      return;
    }
    const show = waiting;
    waiting = undefined;
    show();
  }

  // A click needs the same row when the button of the mouse goes down and up.
  function showWhenReleased(show) {
    const isScheduled = waiting !== undefined;
    waiting = show;
    if (!isScheduled) showWaiting();
  }

  return {
    element,
    /** Shows these models, after a click that has begun. The focus stays on the same model. */
    render(models) {
      showWhenReleased(() => showModels(models));
    },
    /** Sets the focus on a model, if it is listed. */
    focus(key) {
      element.querySelector(`[data-key="${key}"]`)?.focus();
    },
    /** Shows why the models could not be read. */
    fail(reason) {
      showWhenReleased(() => showSentence(text('unreadable', { reason: reason })));
    },
  };
}
