"""
Everything that uses the parser: commands, corpora, service, analysis. Nothing else imports it.
"""
