const text = document.getElementById('data'), file = document.getElementById('file');
text.onkeydown = event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    text.form.requestSubmit(document.getElementById('parse'));
  }
};
text.form.onsubmit = event => {
  file.disabled = event.submitter && event.submitter.id === 'parse';
  setTimeout(() => { file.disabled = false; });
};
