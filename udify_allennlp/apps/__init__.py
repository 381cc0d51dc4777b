"""What uses the parser: commands, corpora, service, drawing, analysis. Nothing else imports it."""
