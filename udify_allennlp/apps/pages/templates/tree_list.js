const size = {{ page_size }}, all = [...document.querySelectorAll('.entry')];
const get = id => document.getElementById(id);
const texts = all.map(entry => entry.querySelector('summary').textContent.toLowerCase());
const orders = {
  'most errors first': (a, b) => b.dataset.errors - a.dataset.errors,
  'lowest LAS': (a, b) => a.dataset.las - b.dataset.las || b.dataset.errors - a.dataset.errors,
};
let shown = all, page = 0;
function show() {
  const pages = Math.max(1, Math.ceil(shown.length / size));
  page = Math.min(Math.max(page, 0), pages - 1);
  const now = shown.slice(page * size, (page + 1) * size);
  all.forEach(entry => entry.hidden = true);
  now.forEach(entry => entry.hidden = false);
  get('trees').append(...now);
  get('where').textContent = `page ${page + 1} of ${pages}, ${shown.length} sentences`;
}
function choose() {
  const text = get('find').value.toLowerCase(), only = get('only') && get('only').checked;
  const relation = get('relation').value, order = get('order') && orders[get('order').value];
  const has = entry => (only ? entry.dataset.off : entry.dataset.rel).split(' ')
    .some(label => label === relation || label.startsWith(relation + ':'));
  shown = all.filter((entry, i) => texts[i].includes(text) && (!relation || has(entry))
    && (!only || entry.classList.contains('wrong')));
  if (order) shown.sort(order);
  page = 0;
  show();
}
get('back').onclick = () => { page--; show(); };
get('next').onclick = () => { page++; show(); };
get('find').oninput = get('relation').onchange = choose;
for (const id of ['order', 'only']) if (get(id)) get(id).onchange = choose;
get('bar').hidden = false;
choose();
